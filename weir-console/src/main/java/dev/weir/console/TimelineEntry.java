package dev.weir.console;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A requested change of a running pipeline. Immutable. */
public final class TimelineEntry {

    private final Values values;

    private TimelineEntry(Instant at, long millis, String key, String value, String by, String refused) {
        this.values = new Values(at, millis, key, value, by, refused);
    }

    /** Creates an entry, for tests of code that reads entries. */
    public static TimelineEntry of(Instant at, long millis, String key, String value, String by, String refused) {
        return new TimelineEntry(at, millis, key, value, by, refused);
    }

    /** The time of the request. */
    public Instant at() {
        return values.at;
    }

    /** The time since the console was created, in milliseconds. */
    public long millis() {
        return values.millis;
    }

    /** The key of the setting. */
    public String key() {
        return values.key;
    }

    /** The requested value. */
    public String value() {
        return values.value;
    }

    /** The origin of the request: {@code page}, {@code command} or {@code code}. */
    public String by() {
        return values.by;
    }

    /** The reason why the change was refused; empty if it was applied. */
    public String refused() {
        return values.refused;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TimelineEntry that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "TimelineEntry");
    }

    private record Values(Instant at, long millis, String key, String value, String by, String refused) {}
}
