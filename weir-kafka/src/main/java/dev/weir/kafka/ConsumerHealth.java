package dev.weir.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The answers for a health probe of a consumer, or of a share group's member. Immutable. */
public final class ConsumerHealth {

    private final Values values;

    private ConsumerHealth(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        this.values = new Values(live, ready, progressing, reason, noAnswerSince);
    }

    /** Creates one for tests of code that reads it; in a run the engine creates it. */
    public static ConsumerHealth of(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        return new ConsumerHealth(live, ready, progressing, reason, noAnswerSince);
    }

    /** Returns whether its thread goes round; if not, only a restart of the pipeline helps. */
    public boolean live() {
        return values.live;
    }

    /** Returns whether it has joined its group, or has its partitions, and knows where to read each of them. */
    public boolean ready() {
        return values.ready;
    }

    /**
     * Returns whether work gets finished, or there is none; not if no broker answers, or while a stage below says that
     * it makes no progress, as one whose producer has had no answer for long.
     */
    public boolean progressing() {
        return values.progressing;
    }

    /** The reason why one of them is not so, or an empty string. */
    public String reason() {
        return values.reason;
    }

    /**
     * The time when a broker last answered, if connections are lost and none answers any more; null while one does. A
     * broker that is gone is noticed after 5 s, one that holds its connections and is silent after {@code
     * request.timeout.ms}.
     */
    public @Nullable Instant noAnswerSince() {
        return values.noAnswerSince;
    }

    /** The sentence for {@link #noAnswerSince}, in log, health and dump alike. */
    public static String noAnswer(Instant since) {
        return "no broker answers since " + since.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ConsumerHealth that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "ConsumerHealth");
    }

    private record Values(
            boolean live,
            boolean ready,
            boolean progressing,
            String reason,
            @Nullable Instant noAnswerSince) {}
}
