; Ideas that Java code shows, and shapes that often go wrong.
(superclass) @concept.inheritance
(super_interfaces) @concept.interface
(type_parameters) @concept.generics
[(marker_annotation) (annotation)] @concept.decorator
(lambda_expression) @concept.lambda
(record_declaration) @concept.dataclass
(spread_parameter) @concept.variadic
(modifiers "static") @concept.class_method
(instanceof_expression) @concept.narrowing
(cast_expression) @concept.type_assertion
(assignment_expression left: (field_access object: (this))) @concept.instance_state
(method_invocation name: (identifier) @_name arguments: (argument_list [(lambda_expression) (method_reference)])
  (#any-of? @_name "map" "filter" "reduce" "forEach" "anyMatch" "allMatch" "flatMap" "sort" "computeIfAbsent"))
  @concept.higher_order

(catch_clause body: (block . "{" . [(line_comment) (block_comment)]* . "}" .)) @risk.swallowed_error
(catch_clause (catch_formal_parameter (catch_type (type_identifier) @_type))
  (#any-of? @_type "Exception" "Throwable")) @risk.bare_except
(binary_expression operator: ["==" "!="] right: (string_literal)) @risk.identity_comparison
(binary_expression left: (string_literal) operator: ["==" "!="]) @risk.identity_comparison
