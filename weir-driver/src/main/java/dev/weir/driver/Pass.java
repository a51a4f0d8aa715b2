package dev.weir.driver;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One running pass: its settings and its record of deliveries. Any thread may read the settings. One thread at a time
 * reports deliveries through {@link #delivered}, or any thread through {@link #deliveredConcurrently}.
 */
public final class Pass {
    /**
     * Figure: the number of records that arrived before they were due, according to compared clocks. Omitted if there
     * were none.
     */
    public static final String EARLY_RECORDS = "clock: early records";

    /** Figure: the earliest arrival relative to the due time, negative. */
    public static final String EARLIEST_MILLIS = "clock: earliest ms";

    /** Figure of a sender with a plan: the nice value of its process, negative if it has priority. */
    public static final String SENDER_NICENESS = "generator: nice value";

    /**
     * Figure of each pass: the time for which all threads of the process together were runnable and waited for a core,
     * in percent of the pass. Missing if the system does not report it, or if threads that had waited for long ended
     * meanwhile.
     */
    public static final String WAITED_FOR_CORES = "driver: waited for a core %";

    /**
     * Figure of drivers without a Kafka client: the part of the pass during which a fetch was in flight, in percent.
     */
    public static final String FETCH_UNDER_WAY = "driver: fetch under way %";

    /** Figure of Kafka's consumers: the average number of fetches in flight, over all consumers together. */
    public static final String FETCHES_OF_CLIENT = "client: fetches under way";

    private static final long SINK_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Command.Configure configuration;
    private final Command.Start order;
    private final PassOptions options;
    private final ClientConfig clientConfig;
    private final long wanted;
    private final double sinkNanos; // per record; 0: no limit
    private final int partitionAt;
    private final HandlerWork work;
    private final Tally tally;
    private final Course course;
    private final Lateness lateness;
    private final TopicSet topics;
    private final DeliveryBook book;
    private final @Nullable GroupNumbers ofGroup;
    private final ReentrantLock lock = new ReentrantLock(); // of concurrent deliveries
    private final Map<String, Double> figures = new ConcurrentHashMap<>();
    private final long orderedNanos = System.nanoTime();

    private volatile @Nullable SendPlan plan;
    private volatile Consumer<String> whenReady = address -> {};
    private volatile @Nullable Consumer<Map<String, String>> whenChanged; // of a network

    Pass(Command.Configure configuration, Command.Start order) {
        this(configuration, order, GroupType.CONSUMER);
    }

    Pass(Command.Configure configuration, Command.Start order, GroupType groupType) {
        this.configuration = configuration;
        this.order = order;
        this.options = new PassOptions(configuration.options());
        this.clientConfig = new ClientConfig(configuration, order.group());
        long all = configuration.recordsPerPartition() * configuration.partitions();
        this.wanted = order.records() > 0 ? Math.min(order.records(), all) : all;
        this.sinkNanos = options.sinkNanos();
        this.partitionAt = options.partitionAt();
        this.work = HandlerWork.of(configuration.options());
        this.tally = new Tally(configuration.valueBytes());
        this.course = new Course(wanted, (long) (order.seconds() * TimeUnit.SECONDS.toNanos(1)), tally, work);
        this.lateness = new Lateness(options, configuration.partitions(), course);
        this.topics = TopicSet.of(configuration.topic(), configuration.partitions());
        this.book = new DeliveryBook(configuration, groupType);
        Path noted = options.numbers();
        this.ofGroup = noted == null
                ? null
                : GroupNumbers.in(noted, configuration.partitions(), configuration.recordsPerPartition());
    }

    public Command.Configure configuration() {
        return configuration;
    }

    /**
     * The topics to read, one or several, or to write. Deliveries are reported with the {@link TopicSet#number} of a
     * partition.
     */
    public TopicSet topics() {
        return topics;
    }

    /** The consumer group, which does not exist yet. */
    public String group() {
        return order.group();
    }

    /** The number of records to deliver or produce. */
    public long wanted() {
        return wanted;
    }

    public PassOptions options() {
        return options;
    }

    /** Properties of Kafka clients for the pass. */
    public ClientConfig clientConfig() {
        return clientConfig;
    }

    /** A new value of the requested length for the record with that number. */
    public byte[] value(long number) {
        return RecordLayout.value(configuration.valueBytes(), number);
    }

    /** A new value with the record's planned time and, if there is space, its partition after that. */
    public byte[] value(long number, long plannedNanos, int partition) {
        return RecordLayout.value(configuration.valueBytes(), number, plannedNanos, partition);
    }

    /** The topic to which {@link Scenario#PIPELINE} and {@link Scenario#COPY} write. */
    public String outputTopic() {
        String topic = order.output().isEmpty() ? options.output() : order.output();
        if (topic == null) {
            throw new IllegalArgumentException("no topic to write to is ordered");
        }
        return topic;
    }

    /** A unique name of this member of the group: the same for all passes of its process. */
    public String member() {
        return group() + "-" + ProcessHandle.current().pid();
    }

    /** Returns whether enough records arrived or time ran out, so that the driver must close. */
    public boolean isDone() {
        return course.isOver();
    }

    /** Waits until {@link #isDone}. */
    public void awaitDone() throws InterruptedException {
        course.await();
    }

    /** Waits for this time, or until {@link #isDone}; returns that. */
    public boolean awaitDone(long millis) throws InterruptedException {
        return course.await(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Reports a record handed to user code. One thread at a time. */
    public void delivered(int partition, byte[] value) {
        delivered(partition, RecordLayout.number(value), RecordLayout.dueNanos(value), value.length);
    }

    /**
     * Reports a record handed to user code. One thread at a time.
     *
     * @param number the first 8 bytes of its value
     * @param plannedNanos the next 8 bytes
     */
    public void delivered(int partition, long number, long plannedNanos, int valueBytes) {
        lateness.came(partition, plannedNanos);
        if (ofGroup != null) {
            var unused = ofGroup.came(partition, number);
        }
        if (!book.delivered(partition, number)) {
            return;
        }
        long records = count(valueBytes);
        if (sinkNanos > 0) {
            slowDown(records);
        }
    }

    /** Waits in place of user code, in steps of at least a millisecond, since shorter ones would be mostly overhead. */
    private void slowDown(long records) {
        Course.Mark from = course.start();
        if (from != null) {
            long early = from.nanos() + (long) (records * sinkNanos) - System.nanoTime();
            if (early > SINK_STEP_NANOS) {
                LockSupport.parkNanos(early);
            }
        }
    }

    /**
     * Reports that a handler has done its work for a record not delivered yet, and fails if planned. Any thread, one at
     * a time for a record.
     *
     * @throws HandlerFailure if planned; the library must call the handler again after {@link PassOptions#retryMillis}
     */
    public void attempted(int partition, byte[] value) {
        book.attempted(partition, RecordLayout.number(value));
    }

    /**
     * The step of {@link Scenario#COPY} between reading and writing a record, the same for all libraries: the
     * workload's work, which may be none. It counts the record as taken; the harness finds written records in the
     * output. Any thread.
     *
     * @return the value to be written
     */
    public byte[] step(byte[] value) {
        step(RecordLayout.number(value));
        return value;
    }

    /**
     * Does the same for a value in a receive buffer.
     *
     * @param number the first 8 bytes of the value
     */
    public void step(long number) {
        course.begin(0, 0);
        work.on(number);
        tally.step();
    }

    /**
     * The partition of a record of {@link Scenario#COPY}, stored in its value. The output must go to the partition with
     * the same number.
     */
    public int partition(byte[] value) {
        return RecordLayout.partition(value, partitionAt);
    }

    /** The work of each handler; the pass reports its duration. Thread-safe. */
    public HandlerWork work() {
        return work;
    }

    /** Reports the number of records of a poll in the driver's own loop, perhaps 0. Any thread. */
    public void polled(int records) {
        PollSizes.OF_PROCESS.polled(records);
    }

    /** Adds a figure to those reported by clients, such as {@code share: lanes}. Any thread. */
    public void figure(String name, double value) {
        figures.put(name, value);
    }

    /** The figures added so far. */
    Map<String, Double> figures() {
        return Map.copyOf(figures);
    }

    /** Reports a record whose work is done. Any thread. */
    public void deliveredConcurrently(int partition, byte @Nullable [] key, byte[] value) {
        lock.lock();
        try {
            if (key != null) {
                book.deliveredOfKey(partition, RecordLayout.numberOfKey(key), RecordLayout.number(value));
            }
            delivered(partition, value);
        } finally {
            lock.unlock();
        }
    }

    /** Notes the lateness of a sent or received record; 0 means no planned time. One thread at a time. */
    public void wasDue(int partition, long plannedNanos) {
        lateness.came(partition, plannedNanos);
    }

    /** The lateness recorded by {@link #wasDue} and {@link #pacer}. */
    Lateness lateness() {
        return lateness;
    }

    /** The pacer for the records of {@link Scenario#PRODUCE}; for one thread. */
    public Pacer pacer() {
        return new Pacer(this, new PacerClock.OfProcess());
    }

    /**
     * The sender's plan, which {@link #change} may change. Requesting it reports that the sender is connected. Once,
     * for one thread.
     */
    public SendPlan plan() {
        SendPlan made = SendPlan.of(configuration.options());
        plan = made;
        Double niceness = ProcessTime.niceness(Path.of("/proc/self/stat"));
        if (niceness != null) {
            figure(SENDER_NICENESS, niceness);
        }
        whenReady.accept("");
        return made;
    }

    /**
     * Reports that the pass simulates a member's network, which waits for connections at the address.
     *
     * @param changed receives faults as options of a {@link NetworkFault}, on the command thread
     */
    public void isNetwork(String address, Consumer<Map<String, String>> changed) {
        whenChanged = changed;
        whenReady.accept(address);
    }

    /**
     * Sets the listener that is called once a requested plan, or a network's address, is ready. Called on the thread
     * that prepared it.
     */
    void whenReady(Consumer<String> told) {
        whenReady = told;
    }

    /** Executes a {@link Command.Change}. Any thread. */
    void change(Map<String, String> changes) {
        Consumer<Map<String, String>> network = whenChanged;
        if (network != null) {
            network.accept(changes);
            return;
        }
        String millis = changes.get(HandlerWork.MILLIS);
        if (millis != null) {
            work.blockFor(Double.parseDouble(millis));
        }
        String rate = changes.get(SendPlan.RATE);
        if (rate != null) {
            SendPlan changed = plan;
            if (changed == null) {
                fail(new IllegalStateException("its rate was changed before it had said that it is ready"));
                return;
            }
            changed.change(Long.parseLong(changes.getOrDefault(SendPlan.AT, "0")), Double.parseDouble(rate));
        }
    }

    /** The delivered records if requested; otherwise null. After the driver has returned. */
    Report.@Nullable Delivered told() {
        return options.tells() ? new Report.Delivered(book.numbers()) : null;
    }

    /**
     * Reports an acknowledged record of that many bytes. One thread at a time.
     *
     * @param ticket from {@link Pacer#next}
     */
    public void acknowledged(long ticket, int valueBytes) {
        lateness.acknowledged(ticket);
        acknowledged(valueBytes);
    }

    /** Reports an acknowledged record of that many bytes. One thread at a time. */
    public void acknowledged(int valueBytes) {
        var unused = count(valueBytes);
    }

    /**
     * Reports a committed transaction with this many records of the requested length. One thread at a time. The first
     * one starts the measured time, because its records took time before that.
     */
    public void committed(int transactionRecords) {
        long now = tally.count(transactionRecords, (long) transactionRecords * configuration.valueBytes());
        long before = now - transactionRecords;
        if (before == 0) {
            course.begin(now, tally.bytes());
        }
        if (before < wanted && now >= wanted) {
            course.end();
        }
    }

    /** Reports the library's failure; null has no effect, so that any outcome can be passed. Any thread. */
    public void fail(@Nullable Throwable cause) {
        course.fail(cause);
    }

    /** Throws the library's failure if there is one: before offsets of unwritten records are committed. Any thread. */
    public void requireNoFailure() {
        course.requireNoFailure();
    }

    /** Runs {@code run}; its failure fails the pass. */
    public void failsWith(CompletionStage<?> run) {
        run.whenComplete((end, cause) -> fail(cause));
    }

    private long count(int valueBytes) {
        long now = tally.count(1, valueBytes);
        if (now == 1) {
            course.begin(0, 0);
        }
        if (now == wanted) {
            course.end();
        }
        return now;
    }

    /** The course of the pass. */
    Course course() {
        return course;
    }

    /** The figures, after the driver has returned. */
    Report.Passed result() {
        Course.Span span = course.span();
        boolean complete = span.to().records() >= wanted;
        // A copy writes and commits the records it has taken until the driver returns. Context switches were lost with
        // its threads.
        Usage used = isCopy() ? Meters.quick() : span.to().usage();
        figures.putAll(course.figures());
        lateness.putEarly(figures);
        long firstNanos = span.from().nanos();
        return new Report.Passed(
                complete,
                span.records(),
                span.bytes(),
                span.nanos(),
                firstNanos - orderedNanos,
                System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - firstNanos),
                used.since(span.from().usage()),
                ledger(complete),
                new TreeMap<>(figures),
                span.handlers());
    }

    private LedgerFigures ledger(boolean complete) {
        if (configuration.scenario() == Scenario.PRODUCE || isCopy()) {
            return new LedgerFigures(tally.records(), 0, 0, 0, 0);
        }
        boolean all = complete && wanted == configuration.recordsPerPartition() * configuration.partitions();
        return book.figures(all);
    }

    private boolean isCopy() {
        return configuration.scenario() == Scenario.COPY;
    }
}
