; Ideas that Rust code shows, and shapes that often go wrong.
[(reference_expression) (reference_type)] @concept.borrowing
(macro_invocation) @concept.macro
(try_expression) @concept.error_value
(generic_type type: (type_identifier) @_name (#eq? @_name "Result")) @concept.error_value
(type_parameters) @concept.generics
(attribute_item) @concept.decorator
[(tuple_pattern) (tuple_struct_pattern) (struct_pattern)] @concept.destructuring
(call_expression function: (field_expression field: (_) @_name) arguments: (arguments (closure_expression))
  (#any-of? @_name "map" "filter" "fold" "for_each" "any" "all" "find" "flat_map" "filter_map" "and_then"))
  @concept.higher_order
(impl_item trait: (_)) @concept.interface
(closure_expression) @concept.lambda
(type_cast_expression) @concept.type_assertion

(call_expression function: (field_expression field: (field_identifier) @_name)
  (#any-of? @_name "unwrap" "expect")) @risk.unwrapped
(unsafe_block) @risk.unsafe
(let_declaration pattern: "_" value: (call_expression)) @risk.swallowed_error
