package dev.weir.examples.asimov;

/** An event and its URL taken apart. Immutable. */
public record LocatedEvent(ParsedEvent event, PageUrl url) implements Locating {}
