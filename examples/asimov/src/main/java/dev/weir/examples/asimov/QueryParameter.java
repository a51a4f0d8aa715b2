package dev.weir.examples.asimov;

/** A name and a value of a URL's query. Both are percent-decoded and may be empty. Immutable. */
public record QueryParameter(String name, String value) {}
