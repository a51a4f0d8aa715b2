package dev.weir.cli.pipe;

import dev.weir.cli.metrics.MetricsOption;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.console.ConsoleOption;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.ProducePath;
import dev.weir.stream.Parallelism;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code weir pipe}, as typed. Only picocli sets the fields. */
final class PipeOptions {

    /** The order in which records are processed. */
    enum Order {
        partition,
        key,
        unordered
    }

    /** The treatment of a dead-letter record that is too large for its topic. */
    enum TooLarge {
        cut,
        fail
    }

    /** The fetch path. */
    enum Fetch {
        client(FetchPath.CLIENT),
        lean(FetchPath.LEAN);

        private final FetchPath path;

        Fetch(FetchPath path) {
            this.path = path;
        }

        FetchPath path() {
            return path;
        }
    }

    /** The produce path. */
    enum Produce {
        client(ProducePath.CLIENT),
        lean(ProducePath.LEAN);

        private final ProducePath path;

        Produce(ProducePath path) {
            this.path = path;
        }

        ProducePath path() {
            return path;
        }
    }

    /** The work on each record. */
    sealed interface Via {

        record Identity() implements Via {}

        record Asimov() implements Via {}

        record Exec(String command) implements Via {}

        record Each(String command) implements Via {}
    }

    static final String AT_LEAST_ONCE = "at-least-once";
    static final String AT_MOST_ONCE = "at-most-once";
    static final String EXACTLY_ONCE = "exactly-once";

    static final int MAX_CONCURRENCY = 10_000;

    /** The concurrency limit of an adaptive pipe. */
    static final int MAX_ADAPTIVE = 1_024;

    static final int MAX_RETRIES = 1_000;

    @Option(
            names = "--bootstrap-server",
            required = true,
            paramLabel = "HOST:PORT[,...]",
            description = "Addresses of the brokers.")
    String bootstrapServers;

    @Option(names = "--from", required = true, paramLabel = "TOPIC", description = "Topic to read.")
    String from;

    @Option(names = "--to", required = true, paramLabel = "TOPIC", description = "Topic to write.")
    String to;

    @Option(
            names = "--group",
            required = true,
            paramLabel = "GROUP",
            description = "Consumer group whose committed offsets are where to continue.")
    String group;

    @Option(
            names = "--via",
            paramLabel = "HOW",
            defaultValue = "identity",
            converter = ViaConverter.class,
            description = "Work on each record: identity (nothing, the default), asimov (JSON event to"
                    + " Protobuf), exec:CMD (the value goes as a line through one shell command), or each:CMD (a shell"
                    + " command for each record, which fails if its exit status is not 0).")
    Via via;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            converter = ConcurrencyConverter.class,
            description = "Records worked on at once, 1 to " + MAX_CONCURRENCY + ", or adaptive, for --work and"
                    + " each:CMD: as many as raise the rate. Default: "
                    + PipeFlow.DEFAULT_BLOCKING
                    + " for --work and each:CMD, " + PipeFlow.DEFAULT_LINES
                    + " lines under way for exec:CMD, one per processor for"
                    + " work that computes.")
    @Nullable
    Integer concurrency;

    @Option(
            names = "--ordering",
            paramLabel = "ORDER",
            description = "Order that is kept under concurrency: ${COMPLETION-CANDIDATES} (default: key).")
    @Nullable
    Order ordering;

    @Option(
            names = "--guarantee",
            paramLabel = "G",
            defaultValue = "at-least-once",
            description =
                    "at-least-once (default): nothing is lost, a crash repeats some records. at-most-once: nothing is"
                            + " repeated, a crash loses records that were committed ahead, " + PipeFlow.COMMIT_AHEAD
                            + " at most that no stage had taken. exactly-once: output and offsets are"
                            + " committed together by transactions, readers with isolation.level=read_committed see"
                            + " each result once.")
    String guarantee;

    @Option(
            names = "--commit-interval",
            paramLabel = "TIME",
            description =
                    "How long a transaction of --guarantee exactly-once takes records, 1ms to 20s (default: 100ms).")
    @Nullable
    Duration commitInterval;

    @Option(
            names = "--fetch",
            paramLabel = "PATH",
            description =
                    "Fetch path: ${COMPLETION-CANDIDATES} (default: lean with --share, else client, or weir.fetch of"
                            + " --client-config).")
    @Nullable
    Fetch fetch;

    @Option(
            names = "--produce",
            paramLabel = "PATH",
            description =
                    "Produce path: ${COMPLETION-CANDIDATES} (default: client, or weir.produce of --client-config).")
    @Nullable
    Produce produce;

    @Option(
            names = "--work",
            paramLabel = "TIME",
            description = "Let each record wait this long, as a handler that blocks.")
    Duration work = Duration.ZERO;

    @Option(
            names = "--work-cpu",
            paramLabel = "TIME",
            description = "Let each record occupy a processor this long, as a handler that computes.")
    Duration workCpu = Duration.ZERO;

    @Mixin
    BatchOptions batches = new BatchOptions();

    @Option(
            names = "--dead-letter",
            paramLabel = "TOPIC",
            description = "Topic for records that fail, unchanged but with the reason in headers.")
    @Nullable
    String deadLetter;

    @Option(
            names = "--dead-letter-too-large",
            paramLabel = "HOW",
            description = "Answer to a dead-letter record that is too large for its topic: ${COMPLETION-CANDIDATES}"
                    + " (default: cut). cut writes it without its value, warns and counts; fail ends the pipe.")
    @Nullable
    TooLarge tooLargeDeadLetters;

    @Option(
            names = "--retry",
            paramLabel = "N",
            description = "Try a record N times more in its place before it is given up, 0 to " + MAX_RETRIES
                    + ", after 0.1 s, 0.2 s, up to 10 s. For --work and --via each:CMD. Default: 0.")
    @Nullable
    Integer retry;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "How long one attempt at a record may take. For --work and --via each:CMD.")
    @Nullable
    Duration timeout;

    @Option(names = "--until-end", description = "Stop at the end that --from has at the start. Without it: run on.")
    boolean untilEnd;

    @Option(
            names = "--client-config",
            paramLabel = "FILE",
            description = "Properties for all Kafka clients: security, timeouts, fetch sizes; and Weir's own settings"
                    + " of the consumer, such as weir.commit.interval=500ms.")
    @Nullable
    Path clientConfig;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = ClusterClients.DEFAULT_PATIENCE,
            description = "How long the brokers may take to answer before the start (default: ${DEFAULT-VALUE}).")
    Duration connectTimeout;

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long Ctrl-C or SIGTERM lets records under way finish (default: ${DEFAULT-VALUE}).")
    Duration drainTimeout;

    @Option(
            names = "--state",
            paramLabel = "FILE",
            description = "Write the pipe's state there every second, as JSON, with the reason if it is stuck.")
    @Nullable
    Path state;

    @Mixin
    ConsoleOption console;

    @Mixin
    ShareOptions sharing;

    @Mixin
    MetricsOption metrics;

    @Option(names = "--json", description = "Print the summary as one JSON object on standard output.")
    boolean json;

    /** Returns whether each record is processed separately, so that a failed one can be retried alone. */
    boolean isPerRecord() {
        return via instanceof Via.Each || via instanceof Via.Identity;
    }

    boolean isAdaptive() {
        return concurrency != null && concurrency == ConcurrencyConverter.ADAPTIVE;
    }

    /** Number of records processed at once if handlers wait. */
    Parallelism workers() {
        if (isAdaptive()) {
            return Parallelism.adaptive(1, MAX_ADAPTIVE);
        }
        return Parallelism.fixed(concurrencyOr(PipeFlow.DEFAULT_BLOCKING));
    }

    /** Number of concurrent handlers, each for all work on its record. */
    Parallelism handlers() {
        if (mayReorder()) {
            return workers();
        }
        // As in a pipe that stops at the first failing record: all computing threads, or one.
        return Parallelism.fixed(
                workCpu.isPositive() ? concurrencyOr(Runtime.getRuntime().availableProcessors()) : 1);
    }

    /** Returns the requested concurrency; {@code otherwise} if there is none or it is adaptive. */
    int concurrencyOr(int otherwise) {
        return concurrency == null || isAdaptive() ? otherwise : concurrency;
    }

    boolean handlesOneByOne() {
        return isPerRecord()
                && (sharing.share || deadLetter != null || retry != null || timeout != null || via instanceof Via.Each);
    }

    /**
     * Returns whether records of one partition may overtake each other, so that {@code --ordering} applies: handlers
     * wait, or a share group delivers records in any order.
     */
    boolean mayReorder() {
        return work.isPositive() || via instanceof Via.Each || sharing.share;
    }

    /** Returns whether a record is committed before it is processed. */
    boolean isAtMostOnce() {
        return guarantee.equals(AT_MOST_ONCE);
    }

    /** Returns whether output and offsets are committed together. */
    boolean isExactlyOnce() {
        return guarantee.equals(EXACTLY_ONCE);
    }

    /** All topics that must exist. */
    List<String> topics() {
        List<String> topics = new ArrayList<>(List.of(from, to));
        if (deadLetter != null) {
            topics.add(deadLetter);
        }
        return topics;
    }

    /** Converts the value of {@code --concurrency}. Stateless. */
    static final class ConcurrencyConverter implements ITypeConverter<Integer> {

        /** Value for the word {@code adaptive}. */
        static final int ADAPTIVE = Integer.MIN_VALUE;

        @Override
        public Integer convert(String text) {
            if (text.equals("adaptive")) {
                return ADAPTIVE;
            }
            try {
                int number = Integer.parseInt(text);
                return number == ADAPTIVE ? ADAPTIVE + 1 : number;
            } catch (NumberFormatException e) {
                throw new TypeConversionException("'" + text + "' is neither a number nor adaptive");
            }
        }
    }

    /** Converts the value of {@code --via}. Stateless. */
    static final class ViaConverter implements ITypeConverter<Via> {

        private static final String EXEC = "exec:";
        private static final String EACH = "each:";

        @Override
        public Via convert(String text) {
            if (text.startsWith(EACH) && !text.substring(EACH.length()).isBlank()) {
                return new Via.Each(text.substring(EACH.length()));
            }
            if (text.startsWith(EXEC) && !text.substring(EXEC.length()).isBlank()) {
                return new Via.Exec(text.substring(EXEC.length()));
            }
            return switch (text) {
                case "identity" -> new Via.Identity();
                case "asimov" -> new Via.Asimov();
                default ->
                    throw new TypeConversionException("'" + text
                            + "' is none of identity, asimov, exec:CMD, each:CMD (for example exec:'sed s/a/b/')");
            };
        }
    }
}
