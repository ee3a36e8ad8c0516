; Java.

; Definitions
(method_declaration type: (_) @result name: (identifier) @name) @definition.function
(constructor_declaration name: (identifier) @name) @definition.function
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(field_declaration declarator: (variable_declarator name: (identifier) @member))
(enum_constant name: (identifier) @member)
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
(lambda_expression) @lambda
(method_declaration (modifiers (marker_annotation name: (identifier) @_name)) (#match? @_name "Test$")) @test

; Parameters
(formal_parameter type: (_) @type name: (identifier) @name) @parameter
(spread_parameter (variable_declarator name: (identifier) @name)) @parameter
(lambda_expression parameters: (identifier) @name @parameter)
(inferred_parameters (identifier) @name @parameter)
[(line_comment) (block_comment)] @comment

; Imports
(import_declaration (scoped_identifier name: (identifier) @name) @module) @import

; Calls and names
(method_invocation !object name: (identifier) @function) @call
(method_invocation object: (_) @owner name: (identifier) @name) @call
(object_creation_expression type: (_) @function) @call
(identifier) @use
(type_identifier) @use.type
(method_invocation name: (identifier) @label)
(field_access field: (identifier) @label)
(scoped_identifier (identifier) @label)
(package_declaration (identifier) @label)
(enum_constant name: (identifier) @label)
[(marker_annotation name: (identifier) @label) (annotation name: (identifier) @label)]
(element_value_pair key: (identifier) @label)
(labeled_statement (identifier) @label)
(variable_declarator name: (identifier) @made)
(enhanced_for_statement name: (identifier) @made)
(resource name: (identifier) @made)
(catch_formal_parameter name: (identifier) @made)
(instanceof_expression name: (identifier) @made)
(type_parameter (type_identifier) @made)

; What is changed
(assignment_expression left: (_) @changed)
(update_expression (_) @changed)
(method_invocation object: [(identifier) (field_access)] @changed.inside name: (identifier) @_method
  (#any-of? @_method "add" "addAll" "put" "putAll" "putIfAbsent" "remove" "removeIf" "clear" "set" "push" "pop"
    "offer" "poll" "sort" "append" "insert"))

; Statements
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @target)) @assign
(local_variable_declaration declarator: (variable_declarator name: (_) @target value: (_) @value)) @assign
(expression_statement (assignment_expression left: (_) @target operator: "=" right: (_) @value)) @assign
(expression_statement (assignment_expression left: (_) @target
  operator: ["+=" "-=" "*=" "/=" "%=" "&=" "|=" "^="] @operator right: (_) @value)) @update
(expression_statement (update_expression (_) @target ["++" "--"] @operator)) @update
(expression_statement [(method_invocation) (object_creation_expression)] @value) @action
(return_statement (_) @value) @return
(return_statement) @return
(lambda_expression body: [(binary_expression) (method_invocation) (identifier) (field_access)] @value) @return.implicit
(yield_statement (_) @value) @return
(throw_statement (object_creation_expression type: (_) @error) @value) @raise
(throw_statement [(identifier) (method_invocation)] @error) @raise
(assert_statement . (_) @condition) @assert
(continue_statement) @continue
(break_statement) @break

; Blocks
(if_statement condition: (parenthesized_expression (_) @condition)) @branch
(if_statement condition: (parenthesized_expression (_) @condition) !alternative
  consequence: [
    (return_statement) (throw_statement) (continue_statement) (break_statement)
    (block [(return_statement) (throw_statement) (continue_statement) (break_statement)] .)]) @guard
(if_statement alternative: (if_statement condition: (parenthesized_expression (_) @condition)) @branch.else)
(if_statement alternative: [(block) (expression_statement) (return_statement)] @else)
(ternary_expression condition: (_) @condition) @choice
(switch_expression condition: (parenthesized_expression (_) @value)) @switch
[(switch_block_statement_group) (switch_rule)] @case
(switch_block_statement_group (switch_label (_) @pattern)) @case
(switch_rule (switch_label (_) @pattern)) @case
(enhanced_for_statement name: (_) @target value: (_) @over) @loop.each
(for_statement init: (_) @header) @loop.while
(for_statement update: (_) @header) @loop.while
(for_statement condition: (_) @condition) @loop.while
(for_statement) @loop.while
(while_statement condition: (parenthesized_expression (_) @condition)) @loop.while
(do_statement condition: (parenthesized_expression (_) @condition)) @loop.while
(try_statement) @try
(try_with_resources_statement) @open
(resource name: (_) @name value: (_) @value) @resource
(catch_clause (catch_formal_parameter (catch_type (_) @error))) @catch
(catch_clause (catch_formal_parameter name: (_) @name)) @catch
(finally_clause) @finally
(synchronized_statement (parenthesized_expression (_) @value)) @resource @open

(ERROR) @broken
(MISSING) @broken
