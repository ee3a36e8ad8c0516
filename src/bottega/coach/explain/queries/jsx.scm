; Markup in code.
[(jsx_element) (jsx_self_closing_element)] @concept.component
(jsx_attribute (property_identifier) @_name (#eq? @_name "dangerouslySetInnerHTML")) @risk.raw_html
(call_expression function: (member_expression property: (_) @_name)
  arguments: (arguments . (arrow_function body: [
    (jsx_element open_tag: (jsx_opening_element) @_tag)
    (jsx_self_closing_element) @_tag
    (parenthesized_expression (jsx_element open_tag: (jsx_opening_element) @_tag))
    (parenthesized_expression (jsx_self_closing_element) @_tag)]))
  (#eq? @_name "map") (#not-match? @_tag "key=|\\{\\s*\\.\\.\\.")) @risk.missing_key
