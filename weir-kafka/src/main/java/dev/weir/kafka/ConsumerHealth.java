package dev.weir.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Answers of a consumer or a share group member to health probes. Immutable. */
public final class ConsumerHealth {

    private final Values values;

    private ConsumerHealth(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        this.values = new Values(live, ready, progressing, reason, noAnswerSince);
    }

    /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
    public static ConsumerHealth of(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        return new ConsumerHealth(live, ready, progressing, reason, noAnswerSince);
    }

    /** Returns whether the consumer's thread is running its loop. If not, only a restart of the pipeline helps. */
    public boolean live() {
        return values.live;
    }

    /**
     * Returns whether the consumer has joined its group, or has its partitions, and knows the start position of each.
     */
    public boolean ready() {
        return values.ready;
    }

    /**
     * Returns whether records are being finished, or there are none to finish. False if no broker answers, or while a
     * downstream stage reports no progress, such as a producer that has had no answer for long.
     */
    public boolean progressing() {
        return values.progressing;
    }

    /** The reason for each answer that is false; an empty string if all are true. */
    public String reason() {
        return values.reason;
    }

    /**
     * The time of the last broker answer, if connections are lost and no broker answers; null while one does. A broker
     * that is down is noticed after 5 s, one that keeps connections open without answering after {@code
     * request.timeout.ms}.
     */
    public @Nullable Instant noAnswerSince() {
        return values.noAnswerSince;
    }

    /** The sentence for {@link #noAnswerSince}, shared by log, health and dump. */
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
