package dev.weir.examples.asimov;

import com.google.protobuf.ByteString;

/**
 * An event with its parsed URL and its decompressed payload, which is everything that the output contains. Immutable.
 *
 * @param payload in UTF-8, as in the message
 */
public record UnpackedEvent(ParsedEvent event, PageUrl url, ByteString payload) implements Unpacking {}
