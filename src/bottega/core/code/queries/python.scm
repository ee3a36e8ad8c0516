; Python. Captures are named in syntax.py (parts) and reader.py (marks).

; Definitions
(function_definition "async"? @async name: (identifier) @name) @definition.function
(function_definition return_type: (type) @result) @definition.function
(class_definition name: (identifier) @name) @definition.class
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
(class_definition body: (block (expression_statement (assignment left: (identifier) @member))))
(lambda) @lambda
(function_definition name: (identifier) @_name (#match? @_name "^test")) @test

; Parameters
(parameters (identifier) @name @parameter)
(lambda_parameters (identifier) @name @parameter)
(parameters [(list_splat_pattern) (dictionary_splat_pattern)] @name @parameter)
(lambda_parameters [(list_splat_pattern) (dictionary_splat_pattern)] @name @parameter)
(typed_parameter . (_) @name type: (type) @type) @parameter
(default_parameter name: (_) @name value: (_) @default) @parameter
(typed_default_parameter name: (_) @name type: (type) @type value: (_) @default) @parameter

; Documentation
(module . (expression_statement (string) @doc))
(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(comment) @comment

; Imports
(import_statement name: (dotted_name . (identifier) @name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @name)) @import
(import_from_statement module_name: (_) @module name: (dotted_name (identifier) @name)) @import
(import_from_statement module_name: (_) @module name: (aliased_import alias: (identifier) @name)) @import

; Calls and names
(call function: (_) @function) @call
(identifier) @use
(attribute attribute: (identifier) @label)
(keyword_argument name: (identifier) @label)
(dotted_name (identifier) @label)
(assignment left: (identifier) @made)
(pattern_list (identifier) @made)
(tuple_pattern (identifier) @made)
(list_pattern (identifier) @made)
(list_splat_pattern (identifier) @made)
(dictionary_splat_pattern (identifier) @made)
(for_statement left: (identifier) @made)
(for_in_clause left: (identifier) @made)
(named_expression name: (identifier) @made)
(as_pattern_target (identifier) @made)
(case_pattern (dotted_name . (identifier) @made .))
(splat_pattern (identifier) @made)
[(global_statement (identifier) @shared) (nonlocal_statement (identifier) @shared)]

; What is changed
(assignment left: [(identifier) (attribute) (subscript)] @changed)
(pattern_list [(attribute) (subscript)] @changed)
(augmented_assignment left: (_) @changed)
(delete_statement [(identifier) (attribute) (subscript)] @changed)
(delete_statement (expression_list (_) @changed))
(call function: (attribute object: [(identifier) (attribute) (subscript)] @changed.inside attribute: (identifier) @_method)
  (#any-of? @_method "append" "extend" "insert" "pop" "remove" "clear" "sort" "reverse" "add"
    "discard" "update" "setdefault" "popitem"))

; Statements
(expression_statement (assignment left: (_) @target)) @assign
(expression_statement (assignment right: (_) @value)) @assign
(expression_statement (assignment type: (_) @type)) @assign
(expression_statement (augmented_assignment left: (_) @target operator: _ @operator right: (_) @value)) @update
(delete_statement (_) @target) @delete
(expression_statement [(call) (await (call))] @value) @action
(return_statement (_) @value) @return
(return_statement) @return
(yield (_) @value) @yield
(await (_) @value) @await
(raise_statement . (call function: (_) @error) @value) @raise
(raise_statement . [(identifier) (attribute)] @error) @raise
(raise_statement) @raise
(assert_statement . (_) @condition) @assert
(continue_statement) @continue
(break_statement) @break

; Blocks
(if_statement condition: (_) @condition) @branch
(if_statement condition: (_) @condition !alternative
  consequence: (block [(raise_statement) (return_statement) (continue_statement) (break_statement)] .)) @guard
(elif_clause condition: (_) @condition) @branch.else
(if_statement alternative: (else_clause) @else)
(conditional_expression (_) . (_) @condition . (_)) @choice
(match_statement subject: (_) @value) @switch
(case_clause (case_pattern) @pattern) @case
(for_statement left: (_) @target right: (_) @over) @loop.each
(for_statement "async" @async) @loop.each
(for_in_clause left: (_) @target right: (_) @over) @loop.comprehension
(while_statement condition: (_) @condition) @loop.while
(try_statement) @try
(except_clause) @catch
(except_clause value: [(identifier) (attribute)] @error) @catch
(except_clause value: (tuple (_) @error)) @catch
(except_clause value: (as_pattern . [(identifier) (attribute)] @error alias: (_) @name)) @catch
(except_clause value: (as_pattern . (tuple (_) @error) alias: (_) @name)) @catch
(finally_clause) @finally
(with_statement) @open
(with_item value: (as_pattern . (_) @value alias: (_) @name)) @resource
(with_item value: [(identifier) (call) (attribute) (await) (subscript)] @value) @resource

(ERROR) @broken
(MISSING) @broken
