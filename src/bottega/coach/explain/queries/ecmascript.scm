; Ideas that JavaScript and TypeScript show, and shapes that often go wrong.
(arrow_function) @concept.arrow_function
[(object_pattern) (array_pattern)] @concept.destructuring
(spread_element) @concept.spread
(optional_chain) @concept.optional_chaining
(template_substitution) @concept.formatted_string
(regex) @concept.regular_expression
(decorator) @concept.decorator
(method_definition ["get" "set"]) @concept.property
(method_definition "static") @concept.class_method
(rest_pattern) @concept.variadic
(binary_expression operator: "??") @concept.nullish
(variable_declarator value: (binary_expression operator: "||")) @concept.short_circuit
(assignment_expression right: (binary_expression operator: "||")) @concept.short_circuit
(return_statement (binary_expression operator: "||")) @concept.short_circuit
(arguments (binary_expression operator: "||")) @concept.short_circuit
(binary_expression operator: ["instanceof" "in"]) @concept.narrowing
(binary_expression left: (unary_expression operator: "typeof") operator: ["===" "==" "!==" "!="]) @concept.narrowing
(assignment_expression left: (member_expression object: (this))) @concept.instance_state
(call_expression function: [(identifier) @_name (member_expression property: (_) @_name)]
  (#match? @_name "^use[A-Z]")) @concept.hook
(new_expression constructor: (identifier) @_name (#eq? @_name "Promise")) @concept.promise
(call_expression function: (member_expression object: (identifier) @_name) (#eq? @_name "Promise")) @concept.promise
(call_expression function: (member_expression property: (_) @_name) (#eq? @_name "then")) @concept.promise
(call_expression function: (member_expression property: (_) @_name)
  arguments: (arguments [(arrow_function) (function_expression)])
  (#any-of? @_name "map" "filter" "reduce" "forEach" "some" "every" "find" "findIndex" "flatMap" "sort"))
  @concept.higher_order

(binary_expression left: (_) @_left operator: ["==" "!="] right: (_) @_right
  (#not-match? @_left "^(null|undefined)$") (#not-match? @_right "^(null|undefined)$")) @risk.loose_equality
(variable_declaration) @risk.function_scope
(call_expression function: (member_expression property: (_) @_name)
  arguments: (arguments . [(arrow_function "async") (function_expression "async")])
  (#eq? @_name "forEach")) @risk.async_callback
(catch_clause body: (statement_block . "{" . (comment)* . "}" .)) @risk.swallowed_error
(if_statement condition: (parenthesized_expression (assignment_expression))) @risk.assigned_condition
(while_statement condition: (parenthesized_expression (assignment_expression))) @risk.assigned_condition
(call_expression function: (identifier) @_name (#eq? @_name "eval")) @risk.runs_text
(assignment_expression left: (member_expression property: (_) @_name)
  (#any-of? @_name "innerHTML" "outerHTML")) @risk.raw_html
