; Ideas that Go code shows, and shapes that often go wrong.
(go_statement) @concept.goroutine
[(send_statement) (receive_statement) (select_statement) (channel_type)] @concept.channel
(defer_statement) @concept.deferred_call
(type_parameter_list) @concept.generics
(field_declaration !name) @concept.inheritance
(variadic_parameter_declaration) @concept.variadic
(slice_expression) @concept.slicing
(type_assertion_expression) @concept.type_assertion
(type_switch_statement) @concept.narrowing
(binary_expression left: (identifier) @_name right: (nil) (#match? @_name "^err")) @concept.error_value
(assignment_statement left: (expression_list (selector_expression))) @concept.instance_state
(short_var_declaration left: (expression_list (_) (_))) @concept.destructuring

(short_var_declaration left: (expression_list (identifier) @_name .) right: (expression_list (call_expression))
  (#eq? @_name "_")) @risk.swallowed_error
(assignment_statement left: (expression_list (identifier) @_name .) right: (expression_list (call_expression))
  (#eq? @_name "_")) @risk.swallowed_error
(for_statement (block (statement_list (defer_statement) @risk.deferred_in_loop)))
