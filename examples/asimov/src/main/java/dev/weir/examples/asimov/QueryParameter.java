package dev.weir.examples.asimov;

/** A name and a value of a URL's query, both percent-decoded, either possibly empty. Immutable. */
public record QueryParameter(String name, String value) {}
