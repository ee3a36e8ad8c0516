; Ideas that Python code shows, and shapes that often go wrong. Names are those of `Concept` and `Danger`.
(decorated_definition (decorator) @concept.property (#match? @concept.property "property|\\.setter$"))
(decorated_definition (decorator) @concept.class_method (#match? @concept.class_method "@(classmethod|staticmethod)"))
(decorated_definition (decorator) @concept.dataclass (#match? @concept.dataclass "dataclass"))
(decorated_definition (decorator) @concept.decorator
  (#not-match? @concept.decorator "property|\\.setter$|@classmethod|@staticmethod|dataclass"))
(class_definition superclasses: (argument_list (_) @_base)
  (#match? @_base "(^|\\.)(Enum|StrEnum|IntEnum|Flag)$")) @concept.enum
(class_definition superclasses: (argument_list (_) @_base) (#match? @_base "(^|\\.)(Protocol|ABC)$")) @concept.interface
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @_base)
  (#not-match? @_base "(^|\\.)(Enum|StrEnum|IntEnum|Flag|Protocol|ABC)$")) @concept.inheritance
[(list_comprehension) (set_comprehension) (dictionary_comprehension)] @concept.comprehension
(generator_expression) @concept.generator_expression
(lambda) @concept.lambda
(call function: (_) @_name (#any-of? @_name "map" "filter" "reduce" "functools.reduce")) @concept.higher_order
(call function: (_) @_name arguments: (argument_list (keyword_argument name: (identifier) @_key))
  (#match? @_name "(^|\\.)(sorted|sort|min|max)$") (#eq? @_key "key")) @concept.higher_order
(call function: (identifier) @_name (#eq? @_name "isinstance")) @concept.narrowing
(call function: (attribute object: (identifier) @_name) (#eq? @_name "re")) @concept.regular_expression
(named_expression) @concept.walrus
(assignment right: (boolean_operator operator: "or")) @concept.short_circuit
(return_statement (boolean_operator operator: "or")) @concept.short_circuit
(argument_list (boolean_operator operator: "or")) @concept.short_circuit
(subscript subscript: (slice)) @concept.slicing
(interpolation) @concept.formatted_string
[(list_splat) (dictionary_splat)] @concept.spread
(assignment left: (attribute object: (identifier) @_self) (#eq? @_self "self")) @concept.instance_state
[(pattern_list) (tuple_pattern) (list_pattern)] @concept.destructuring
(parameters [(list_splat_pattern) (dictionary_splat_pattern)]) @concept.variadic
(parameters [(keyword_separator) (list_splat_pattern)] . [(identifier) (default_parameter) (typed_parameter)
  (typed_default_parameter)]) @concept.keyword_only
[(typed_parameter) (typed_default_parameter)] @concept.type_annotation
(function_definition return_type: (_)) @concept.type_annotation
(assignment type: (_)) @concept.type_annotation
(global_statement) @concept.global_state
(nonlocal_statement) @concept.closure

(default_parameter value: [(list) (dictionary) (set)] @risk.mutable_default)
(typed_default_parameter value: [(list) (dictionary) (set)] @risk.mutable_default)
(default_parameter value: (call function: (identifier) @_made (#any-of? @_made "list" "dict" "set")) @risk.mutable_default)
(except_clause !value) @risk.bare_except
(except_clause (block . (pass_statement) .)) @risk.swallowed_error
(except_clause (block . (expression_statement [(ellipsis) (string)]) .)) @risk.swallowed_error
((identifier) @risk.shadowing (#any-of? @risk.shadowing "abs" "all" "any" "bin" "bool" "bytes" "chr" "dict" "dir" "eval"
  "exec" "filter" "float" "format" "hash" "help" "hex" "id" "input" "int" "iter" "len" "list" "map" "max" "min" "next"
  "object" "open" "ord" "pow" "print" "property" "range" "repr" "reversed" "round" "set" "slice" "sorted" "str" "sum"
  "super" "tuple" "type" "vars" "zip"))
(comparison_operator operators: ["is" "is not"] [(string) (integer) (float)]) @risk.identity_comparison
(assignment right: (call function: (identifier) @_open (#eq? @_open "open")) @risk.unclosed_file)
(attribute object: (call function: (identifier) @_open (#eq? @_open "open")) @risk.unclosed_file)
(for_statement right: (call function: (identifier) @_open (#eq? @_open "open")) @risk.unclosed_file)
(assert_statement . (tuple (_))) @risk.assert_tuple
(call function: (identifier) @_runs (#any-of? @_runs "eval" "exec")) @risk.runs_text
(call arguments: (argument_list (keyword_argument name: (identifier) @_shell value: (true)))
  (#eq? @_shell "shell")) @risk.shell
