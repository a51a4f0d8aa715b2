package dev.weir.examples.asimov;

import dev.weir.examples.asimov.proto.Device;
import dev.weir.examples.asimov.proto.PayloadEncoding;

/**
 * An event as its JSON says it: every field there and of its type, URL and payload not yet looked into. Immutable.
 *
 * @param sequence ascends within a session
 * @param timestampMillis since the epoch
 * @param payload compressed as {@code encoding} says
 */
public record ParsedEvent(
        String session,
        String event,
        long sequence,
        long timestampMillis,
        String url,
        Device device,
        PayloadEncoding encoding,
        String payload)
        implements Parsing {}
