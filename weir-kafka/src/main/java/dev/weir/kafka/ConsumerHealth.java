package dev.weir.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The values that a consumer or share group member reports to health probes. Immutable. */
public final class ConsumerHealth {

    private final Values values;

    private ConsumerHealth(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        this.values = new Values(live, ready, progressing, reason, noAnswerSince);
    }

    /** Creates an instance, for tests. */
    public static ConsumerHealth of(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        return new ConsumerHealth(live, ready, progressing, reason, noAnswerSince);
    }

    /** Returns whether the consumer is running and keeps polling. Otherwise, the pipeline must be restarted. */
    public boolean live() {
        return values.live;
    }

    /**
     * Returns whether the consumer has joined its group and knows the start position of each assigned partition.
     * Without a group, it is ready once it knows its partitions and their start positions.
     */
    public boolean ready() {
        return values.ready;
    }

    /**
     * Returns whether the consumer is finishing records or has none. False if no broker responds, or if a downstream
     * stage reports a lack of progress, such as a producer without responses.
     */
    public boolean progressing() {
        return values.progressing;
    }

    /** Returns why {@link #live}, {@link #ready} or {@link #progressing} is false, or an empty string. */
    public String reason() {
        return values.reason;
    }

    /**
     * Returns the time of the last response from any broker, or null if brokers are responding. Brokers count as not
     * responding only if a connection was lost since their last response. An unreachable broker is detected after 5 s,
     * and a silent one after {@code request.timeout.ms}.
     */
    public @Nullable Instant noAnswerSince() {
        return values.noAnswerSince;
    }

    /** Returns the message about {@link #noAnswerSince} for logs, health reports and dumps. */
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
