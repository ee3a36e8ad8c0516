; Go.

; Definitions
(function_declaration name: (identifier) @name) @definition.function
(function_declaration result: (_) @result) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @receiver))
  name: (field_identifier) @name) @definition.method
(method_declaration name: (field_identifier) @name) @definition.method
(method_declaration result: (_) @result) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type)) @definition.class
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name
  type: [(type_identifier) (pointer_type) (slice_type) (map_type) (function_type) (array_type) (channel_type)
         (qualified_type)]) @definition.type
(field_declaration name: (field_identifier) @member)
(field_declaration !name type: (_) @base)
(method_elem name: (field_identifier) @member)
(func_literal) @lambda
(function_declaration name: (identifier) @_name (#match? @_name "^(Test|Benchmark|Example|Fuzz)")) @test

; Parameters
(method_declaration parameters: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(function_declaration parameters: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(func_literal parameters: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(variadic_parameter_declaration name: (identifier) @name type: (_) @type) @parameter
(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @name) @parameter.receiver))
(comment) @comment

; Imports
(import_spec !name path: (_) @module) @import
(import_spec name: (package_identifier) @name path: (_) @module) @import

; Calls and names
(call_expression function: (_) @function) @call
(identifier) @use
(keyed_element . (literal_element (identifier) @label))
(short_var_declaration left: (expression_list (identifier) @made))
(range_clause left: (expression_list (identifier) @made))
(receive_statement left: (expression_list (identifier) @made))
(var_spec name: (identifier) @made)
(const_spec name: (identifier) @made)

; What is changed
(assignment_statement left: (expression_list [(identifier) (selector_expression) (index_expression)] @changed))
(inc_statement (_) @changed)
(dec_statement (_) @changed)
(send_statement channel: (_) @changed.inside)
(call_expression function: (identifier) @_name arguments: (argument_list . (_) @changed.inside) (#any-of? @_name "delete" "clear"))

; Statements
(short_var_declaration left: (_) @target right: (_) @value) @assign
(var_spec name: (_) @target) @assign
(var_spec name: (_) @target value: (_) @value) @assign
(var_spec type: (_) @type) @assign
(const_spec name: (_) @target value: (_) @value) @assign
(assignment_statement left: (_) @target operator: "=" right: (_) @value) @assign
(assignment_statement left: (_) @target operator: ["+=" "-=" "*=" "/=" "%="] @operator right: (_) @value) @update
(inc_statement (_) @target "++" @operator) @update
(dec_statement (_) @target "--" @operator) @update
(expression_statement (call_expression) @value) @action
(defer_statement (_) @value) @action.deferred
(go_statement (_) @value) @action.started
(send_statement channel: (_) @target) @send
(return_statement (_) @value) @return
(return_statement) @return
(expression_statement (call_expression function: (identifier) @error (#eq? @error "panic")) @value) @raise
(continue_statement) @continue
(break_statement) @break

; Blocks
(if_statement condition: (_) @condition) @branch
(if_statement initializer: (_) @header) @branch
(if_statement initializer: (_)? @header condition: (_) @condition !alternative
  consequence: (block (statement_list [(return_statement) (continue_statement) (break_statement)] .))) @guard
(if_statement condition: (_) @condition !alternative
  consequence: (block (statement_list
    (expression_statement (call_expression function: (identifier) @_leaves (#eq? @_leaves "panic"))) .))) @guard
(if_statement alternative: (if_statement condition: (_) @condition) @branch.else)
(if_statement alternative: (block) @else)
(expression_switch_statement value: (_) @value) @switch
(expression_switch_statement !value) @switch
(type_switch_statement value: (_) @value) @switch
(select_statement) @switch
(expression_case value: (_) @pattern) @case
(type_case type: (_) @pattern) @case
(communication_case communication: (_) @pattern) @case
(default_case) @case
(for_statement (range_clause left: (_) @target right: (_) @over)) @loop.each
(for_statement (range_clause !left right: (_) @over)) @loop.each
(for_statement (for_clause initializer: (_) @header)) @loop.while
(for_statement (for_clause update: (_) @header)) @loop.while
(for_statement (for_clause condition: (_) @condition)) @loop.while
(for_statement . [(binary_expression) (identifier) (call_expression) (unary_expression) (selector_expression)]
  @condition) @loop.while
(for_statement . "for" . body: (block)) @loop.while

(ERROR) @broken
(MISSING) @broken
