package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A report from a driver to the harness, sent as one JSON object per line on the driver's standard output. Immutable.
 * See {@link Command}.
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
     * Reports that the process is up.
     *
     * @param libraries file names on the driver's class path, which contain versions
     * @param arguments JVM arguments
     * @param groupType the kind of group that the driver joins
     * @param processors number of processors available to the process
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
     * Answers {@link Command.Clock} immediately.
     *
     * @param askedNanos the time of the request, copied from the command
     * @param ownNanos the time on the process's clock when it handled the request
     */
    record Clock(long askedNanos, long ownNanos) implements Report {}

    /**
     * Reports that the sender is connected and waits for its plan, or that the simulated network of a member accepts
     * connections.
     *
     * @param address the network's address; empty for a sender
     */
    record Ready(String address) implements Report {}

    /**
     * Reports the first delivered record, which starts the measured time.
     *
     * @param nanos the time of the delivery on the harness's clock
     */
    record First(long nanos) implements Report {}

    /**
     * Reports figures since the previous interval. The last interval of a pass is shorter.
     *
     * @param atNanos end of the interval, since the first record
     * @param handlers blocking time of handlers
     * @param timings the delays of planned records, one entry per partition, and a final entry for the times that the
     *     sending thread overslept. Each entry is a compressed HdrHistogram of nanoseconds in Base64, or empty. The
     *     list is empty if no records are planned.
     * @param last true if enough records arrived or time ran out; the driver then only has to close
     * @param figures figures of the driver's clients by name, once a second if requested; also figures of a remote
     *     machine
     * @param polls the polls of the driver's consumers; null if there were none
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
            figures = figures == null ? Map.of() : Map.copyOf(figures); // older drivers send none
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
     * The polls of consumers in an interval.
     *
     * @param sizes the record counts of non-empty polls, as a compressed HdrHistogram in Base64; empty for none
     * @param empty the number of empty polls, or {@link #UNKNOWN}
     */
    record Polls(String sizes, long empty) {
        /** The number of empty polls is unknown, because the empty polls of a library's own loop are not visible. */
        public static final long UNKNOWN = -1;
    }

    /**
     * Reports the records received in a finished pass.
     *
     * @param partitions received records by partition, in the form of {@link NumberRuns#encoded}
     */
    record Delivered(List<String> partitions) implements Report {}

    /**
     * Reports a finished pass.
     *
     * @param complete whether all requested records arrived; false if time ran out
     * @param records number of records delivered in the measured time, from the first record to the end
     * @param bytes total size of their values
     * @param nanos time from the first record to the end
     * @param joinNanos time from the start command to the first record
     * @param firstMillis time of the first record, as {@link System#currentTimeMillis}
     * @param usage usage of the process from the first record to the end
     * @param client figures of the driver's Kafka clients, or of its library
     * @param handlers blocking time of handlers from the first record to the end
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

        /** Returns a copy with other delivery counts. */
        public Passed with(LedgerFigures other) {
            return new Passed(complete, records, bytes, nanos, joinNanos, firstMillis, usage, other, client, handlers);
        }

        /** Returns a copy with other client figures. */
        public Passed withClient(Map<String, Double> others) {
            return new Passed(complete, records, bytes, nanos, joinNanos, firstMillis, usage, ledger, others, handlers);
        }
    }

    /** Reports that the driver cannot continue. */
    record Failed(String message, String trace) implements Report {}
}
