package dev.weir.examples.asimov;

import com.google.protobuf.ByteString;

/**
 * An event, its URL taken apart and its payload decompressed: all that the output holds. Immutable.
 *
 * @param payload in UTF-8, as the message holds it
 */
public record UnpackedEvent(ParsedEvent event, PageUrl url, ByteString payload) implements Unpacking {}
