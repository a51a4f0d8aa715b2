package dev.weir.examples.asimov;

/** An event, its URL taken apart and its payload decompressed: all that the output holds. Immutable. */
public record UnpackedEvent(ParsedEvent event, PageUrl url, String payload) implements Unpacking {}
