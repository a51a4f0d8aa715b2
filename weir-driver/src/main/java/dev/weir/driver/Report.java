package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A report of a driver to the harness, one JSON object per line on its standard output. Immutable. See {@link Command}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "say")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Report.Hello.class, name = "hello"),
    @JsonSubTypes.Type(value = Report.Clock.class, name = "clock"),
    @JsonSubTypes.Type(value = Report.Ready.class, name = "ready"),
    @JsonSubTypes.Type(value = Report.First.class, name = "first"),
    @JsonSubTypes.Type(value = Report.Interval.class, name = "interval"),
    @JsonSubTypes.Type(value = Report.Delivered.class, name = "delivered"),
    @JsonSubTypes.Type(value = Report.Passed.class, name = "passed"),
    @JsonSubTypes.Type(value = Report.Failed.class, name = "failed")
})
public sealed interface Report {

    /**
     * The process is up.
     *
     * @param libraries file names on its class path, which carry versions
     * @param arguments of its JVM
     * @param groupType by which kind of group it reads
     * @param processors that the process may use
     */
    record Hello(
            String driver,
            long pid,
            List<Scenario> scenarios,
            List<Feature> features,
            GroupType groupType,
            String java,
            List<String> libraries,
            List<String> arguments,
            int processors)
            implements Report {}

    /**
     * Answers {@link Command.Clock}, at once.
     *
     * @param askedNanos as it was asked
     * @param ownNanos what the clock of the process said between that and the answer
     */
    record Clock(long askedNanos, long ownNanos) implements Report {}

    /**
     * The sender is connected and waits for its plan, or the network of a member waits for connections.
     *
     * @param address where; empty of a sender
     */
    record Ready(String address) implements Report {}

    /**
     * The first record was delivered: from here on it counts.
     *
     * @param nanos when, by the clock of the harness
     */
    record First(long nanos) implements Report {}

    /**
     * Figures since the one before; the last one of a pass is shorter.
     *
     * @param atNanos end of the interval, since the first record
     * @param handlers how long they blocked
     * @param timings where records have a planned time: for each partition, how long after it they came (or, of the one
     *     who sends, were sent), as an HdrHistogram of nanoseconds, compressed, in Base64; empty for none. One more,
     *     the last: how late the thread slept that sends what the driver produces
     * @param last whether enough has come, or time has run out: what follows is closing down
     * @param figures what its clients are at, by name, once a second where that is asked for;
     *     of a machine elsewhere too
     * @param polls the polls of its consumers; null if it polled nothing
     */
    record Interval(
            long atNanos,
            long records,
            long bytes,
            Usage usage,
            HandlerTime handlers,
            List<String> timings,
            boolean last,
            Map<String, Double> figures,
            @Nullable Polls polls)
            implements Report {

        public Interval {
            figures = figures == null ? Map.of() : Map.copyOf(figures); // Older drivers tell none.
        }

        /** Interval without figures. */
        public Interval(
                long atNanos,
                long records,
                long bytes,
                Usage usage,
                HandlerTime handlers,
                List<String> timings,
                boolean last) {
            this(atNanos, records, bytes, usage, handlers, timings, last, Map.of(), null);
        }
    }

    /**
     * Polls of consumers.
     *
     * @param sizes how many records those with records had, as an HdrHistogram, compressed, in Base64; empty for none
     * @param empty how many had none, or {@link #UNKNOWN}
     */
    record Polls(String sizes, long empty) {
        /** Nobody sees the empty polls of a library's own loop. */
        public static final long UNKNOWN = -1;
    }

    /**
     * The records that came in a pass that is over.
     *
     * @param partitions by partition, as {@link NumberRuns#encoded} writes them
     */
    record Delivered(List<String> partitions) implements Report {}

    /**
     * The pass is over.
     *
     * @param complete whether all records of the order came; false if time ran out
     * @param records delivered from the first record to the end
     * @param bytes of their values
     * @param nanos from the first record to the end
     * @param joinNanos from the order to the first record
     * @param firstMillis when the first record came, as {@link System#currentTimeMillis}
     * @param usage of the process from the first record to the end
     * @param client what its Kafka clients, or its library, say of themselves
     * @param handlers how long they blocked, from the first record to the end
     */
    record Passed(
            boolean complete,
            long records,
            long bytes,
            long nanos,
            long joinNanos,
            long firstMillis,
            Usage usage,
            LedgerFigures ledger,
            Map<String, Double> client,
            HandlerTime handlers)
            implements Report {

        /** The same with another ledger. */
        public Passed with(LedgerFigures other) {
            return new Passed(complete, records, bytes, nanos, joinNanos, firstMillis, usage, other, client, handlers);
        }

        /** The same, with other figures of clients. */
        public Passed withClient(Map<String, Double> others) {
            return new Passed(complete, records, bytes, nanos, joinNanos, firstMillis, usage, ledger, others, handlers);
        }
    }

    /** The driver cannot go on. */
    record Failed(String message, String trace) implements Report {}
}
