package dev.weir.console;

import java.time.Instant;

/**
 * One change of a running pipeline that was asked for. Immutable.
 *
 * @param at when
 * @param millis the time since the console began to show the pipeline, in milliseconds
 * @param key what was to be changed
 * @param value to what
 * @param by who asked: {@code page}, {@code command} or {@code code}
 * @param refused why it was refused; empty if it was made
 */
public record TimelineEntry(Instant at, long millis, String key, String value, String by, String refused) {}
