; What TypeScript shows beyond JavaScript.
(extends_clause) @concept.inheritance
(extends_type_clause) @concept.inheritance
(type_parameters) @concept.generics
(type_predicate) @concept.narrowing
(implements_clause) @concept.interface
(union_type) @concept.union
[(as_expression)] @concept.type_assertion
(type_annotation) @concept.type_annotation
((predefined_type) @risk.any_type (#eq? @risk.any_type "any"))
(non_null_expression) @risk.non_null
