package dev.weir.examples.asimov;

/** An event with its parsed URL. Immutable. */
public record LocatedEvent(ParsedEvent event, PageUrl url) implements Locating {}
