; Rust.

; Definitions
(function_item name: (identifier) @name) @definition.function
(function_item (function_modifiers "async" @async)) @definition.function
(function_item return_type: (_) @result) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(function_signature_item return_type: (_) @result) @definition.function
(struct_item name: (_) @name) @definition.class
(union_item name: (_) @name) @definition.class
(enum_item name: (_) @name) @definition.enum
(trait_item name: (_) @name) @definition.interface
(type_item name: (_) @name) @definition.type
(impl_item) @owner.impl
(field_declaration name: (field_identifier) @member)
(enum_variant name: (identifier) @member)
(closure_expression) @lambda
((attribute_item (attribute [(identifier) (scoped_identifier)] @_name)) . (function_item) @test
  (#match? @_name "(^|::)test$"))

; Parameters
(self_parameter) @name @parameter
(parameter pattern: (_) @name type: (_) @type) @parameter
(closure_parameters (identifier) @name @parameter)
[(line_comment) (block_comment)] @comment

; Imports
(use_declaration argument: (identifier) @module @name) @import
(use_declaration argument: (scoped_identifier name: (identifier) @name) @module) @import
(use_declaration argument: (use_as_clause path: (_) @module alias: (identifier) @name)) @import
(use_declaration argument: (scoped_use_list path: (_) @module list: (use_list (identifier) @name))) @import
(use_declaration argument: (scoped_use_list path: (_) @module list: (use_list (use_as_clause alias: (_) @name)))) @import
(use_declaration argument: (scoped_use_list path: (_) @module
  list: (use_list (scoped_identifier name: (identifier) @name)))) @import

; Calls and names
(call_expression function: (_) @function) @call
(macro_invocation macro: (_) @function) @call
(identifier) @use
(type_identifier) @use.type
(scoped_identifier name: (identifier) @label)
(scoped_use_list (_) @label)
(use_list (identifier) @label)
(use_as_clause (identifier) @label)
(attribute (identifier) @label)
(enum_variant name: (identifier) @label)
(macro_invocation macro: (identifier) @label)
(let_declaration pattern: (identifier) @made)
(for_expression pattern: (identifier) @made)
(tuple_pattern (identifier) @made)
(tuple_struct_pattern type: (_) (identifier) @made)
(struct_pattern (field_pattern name: (_) @made))
(captured_pattern (identifier) @made)
(mut_pattern (identifier) @made)
(ref_pattern (identifier) @made)
(parameter pattern: (identifier) @made)
(const_item name: (identifier) @made)
(static_item name: (identifier) @made)

; What is changed
(assignment_expression left: (_) @changed)
(compound_assignment_expr left: (_) @changed)
(call_expression
  function: (field_expression value: [(identifier) (field_expression) (self)] @changed.inside field: (field_identifier) @_method)
  (#any-of? @_method "push" "push_str" "pop" "insert" "remove" "clear" "sort" "extend" "append" "truncate" "retain"
    "drain" "push_back" "push_front" "pop_front" "pop_back" "swap" "reverse" "dedup"))

; Statements
(let_declaration pattern: (_) @target) @assign
(let_declaration pattern: (_) @target value: (_) @value) @assign
(let_declaration type: (_) @type) @assign
(const_item name: (_) @target value: (_) @value) @assign
(static_item name: (_) @target value: (_) @value) @assign
(expression_statement (assignment_expression left: (_) @target right: (_) @value)) @assign
(expression_statement (compound_assignment_expr left: (_) @target operator: _ @operator right: (_) @value)) @update
(expression_statement [(call_expression) (macro_invocation) (await_expression) (try_expression)] @value) @action
(return_expression (_) @value) @return
(return_expression) @return
(function_item body: (block
  [(identifier) (call_expression) (field_expression) (binary_expression) (unary_expression) (struct_expression)
   (reference_expression) (tuple_expression) (array_expression) (macro_invocation) (try_expression)
   (await_expression) (integer_literal) (string_literal) (boolean_literal) (scoped_identifier) (index_expression)
   (type_cast_expression)] @value @return .))
(closure_expression body: (_) @value) @return.implicit
(await_expression (_) @value) @await
(macro_invocation macro: (identifier) @error (#any-of? @error "panic" "unreachable" "todo" "unimplemented")) @raise
(macro_invocation macro: (identifier) @_name (token_tree) @condition
  (#any-of? @_name "assert" "assert_eq" "assert_ne" "debug_assert")) @assert
(continue_expression) @continue
(break_expression) @break

; Blocks
(if_expression condition: (_) @condition) @branch
(if_expression condition: (_) @condition !alternative
  consequence: (block [(return_expression) (continue_expression) (break_expression)
    (expression_statement [(return_expression) (continue_expression) (break_expression)])] .)) @guard
(if_expression condition: (_) @condition !alternative
  consequence: (block (expression_statement (macro_invocation macro: (identifier) @_leaves)) .)
  (#eq? @_leaves "panic")) @guard
(else_clause (if_expression condition: (_) @condition) @branch.else)
(else_clause (block)) @else
(match_expression value: (_) @value) @switch
(match_arm pattern: (match_pattern) @pattern) @case
(for_expression pattern: (_) @target value: (_) @over) @loop.each
(while_expression condition: (_) @condition) @loop.while
(loop_expression) @loop.while

(ERROR) @broken
(MISSING) @broken
