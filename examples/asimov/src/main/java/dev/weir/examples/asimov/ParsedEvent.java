package dev.weir.examples.asimov;

import dev.weir.examples.asimov.proto.Device;
import dev.weir.examples.asimov.proto.PayloadEncoding;

/**
 * An event with the fields of its JSON. All fields are present and have the right type; URL and payload are not parsed
 * yet. Immutable.
 *
 * @param sequence ascends within a session
 * @param timestampMillis since the epoch
 * @param payload compressed as {@code encoding} specifies
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
