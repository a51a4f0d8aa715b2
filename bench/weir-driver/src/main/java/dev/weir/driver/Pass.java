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
 * One pass of a driver, which executes a scenario once: its settings, and an account of its deliveries. Any thread may
 * read the settings. Either one thread at a time reports deliveries through {@link #delivered}, or any thread reports
 * them through {@link #deliveredConcurrently}.
 */
public final class Pass {
    /**
     * Figure: the number of records that seemed to arrive before they were due. This happens if the clocks of two
     * machines differ. The figure is missing if no record was early.
     */
    public static final String EARLY_RECORDS = "clock: early records";

    /** Figure: the earliest arrival relative to the due time, a negative number. */
    public static final String EARLIEST_MILLIS = "clock: earliest ms";

    /** Figure of a sender with a plan: the nice value of its process, which is negative if the process has priority. */
    public static final String SENDER_NICENESS = "generator: nice value";

    /**
     * Figure of each pass: the time for which threads were runnable and waited for a core, summed over all threads, in
     * percent of the pass. Missing if the system does not report it.
     */
    public static final String WAITED_FOR_CORES = "driver: waited for a core %";

    /**
     * Figure of drivers without a Kafka client: the share of the pass during which a fetch was in flight, in percent.
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
    private final double sinkNanos; // time that a slow sink takes per record; 0 for no limit
    private final int partitionAt;
    private final HandlerWork work;
    private final Tally tally;
    private final Course course;
    private final Lateness lateness;
    private final TopicSet topics;
    private final DeliveryBook book;
    private final @Nullable GroupNumbers ofGroup;
    private final ReentrantLock lock = new ReentrantLock(); // guards concurrent deliveries
    private final Map<String, Double> figures = new ConcurrentHashMap<>();
    private final long orderedNanos = System.nanoTime();

    private volatile @Nullable SendPlan plan;
    private volatile Consumer<String> whenReady = address -> {};
    private volatile @Nullable Consumer<Map<String, String>> whenChanged; // set if the pass simulates a network

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

    /** Returns the topics to read or to write. Report the partition of a delivery as its {@link TopicSet#number}. */
    public TopicSet topics() {
        return topics;
    }

    /** Returns the consumer group, which does not exist yet. */
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

    /** Returns a new value of the requested length for the record with that number. */
    public byte[] value(long number) {
        return RecordLayout.value(configuration.valueBytes(), number);
    }

    /** Returns a new value with the record's planned time, followed by its partition if there is space. */
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

    /** Returns a unique name of this member of the group. It is the same for all passes of this process. */
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

    /** Waits for at most this time until {@link #isDone}. Returns whether the pass is done. */
    public boolean awaitDone(long millis) throws InterruptedException {
        return course.await(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Reports a record handed to user code. Only one thread at a time may call it. */
    public void delivered(int partition, byte[] value) {
        delivered(partition, RecordLayout.number(value), RecordLayout.dueNanos(value), value.length);
    }

    /**
     * Reports a record handed to user code. Only one thread at a time may call it.
     *
     * @param number the first 8 bytes of the record's value
     * @param plannedNanos the next 8 bytes of the value
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

    /**
     * Simulates slow user code by waiting. Short waits are mostly overhead, so waits of up to a millisecond are added
     * up.
     */
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
     * Reports that the handler of a record has finished its work, and throws if a failure is planned. Call this method
     * before the record is reported as delivered. Any thread may call it, but only one thread at a time for the same
     * record.
     *
     * @throws HandlerFailure if planned; the library must call the handler again after {@link PassOptions#retryMillis}
     */
    public void attempted(int partition, byte[] value) {
        book.attempted(partition, RecordLayout.number(value));
    }

    /**
     * Performs the work of {@link Scenario#COPY} between reading and writing a record, and counts the record as
     * processed. The harness counts the written records in the output topic. Any thread may call this method.
     *
     * @return the value to write
     */
    public byte[] step(byte[] value) {
        step(RecordLayout.number(value));
        return value;
    }

    /**
     * Does the same as {@link #step(byte[])} for a value that is still in a receive buffer.
     *
     * @param number the first 8 bytes of the value
     */
    public void step(long number) {
        course.begin(0, 0);
        work.on(number);
        tally.step();
    }

    /**
     * Returns the partition that is stored in the value of a {@link Scenario#COPY} record. The output must go to the
     * partition with the same number.
     */
    public int partition(byte[] value) {
        return RecordLayout.partition(value, partitionAt);
    }

    /** Returns the work of each handler. The pass reports how long handlers took. Thread-safe. */
    public HandlerWork work() {
        return work;
    }

    /** Reports the number of records of a poll in the driver's own loop; 0 is possible. Any thread may call it. */
    public void polled(int records) {
        PollSizes.OF_PROCESS.polled(records);
    }

    /**
     * Adds a figure to the client figures of the result, such as {@code share: lanes}. A later value replaces an
     * earlier one. Any thread may call it.
     */
    public void figure(String name, double value) {
        figures.put(name, value);
    }

    Map<String, Double> figures() {
        return Map.copyOf(figures);
    }

    /** Reports a record after the work on it is done. Any thread may call it. */
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

    /**
     * Notes the lateness of a sent or received record that was due at {@code plannedNanos}. Ignores a record without a
     * planned time, which is given as 0. Only one thread at a time may call it.
     */
    public void wasDue(int partition, long plannedNanos) {
        lateness.came(partition, plannedNanos);
    }

    /** Returns the lateness that {@link #wasDue} and {@link #pacer} have recorded. */
    Lateness lateness() {
        return lateness;
    }

    /** Returns the pacer for the records of {@link Scenario#PRODUCE}. It is confined to one thread. */
    public Pacer pacer() {
        return new Pacer(this, new PacerClock.OfProcess());
    }

    /**
     * Returns the sender's plan, and reports that the sender is connected. Call this method only once, after
     * connecting. The plan is confined to one thread, except that {@link #change} may change its rate.
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
     * Reports that the pass simulates the network of a group member, and that this network accepts connections at
     * {@code address}.
     *
     * @param changed called on the command thread with each fault, as the options of a {@link NetworkFault}
     */
    public void isNetwork(String address, Consumer<Map<String, String>> changed) {
        whenChanged = changed;
        whenReady.accept(address);
    }

    /**
     * Sets the listener for the address of a network or a sender's plan. It is called on the thread of {@link #plan} or
     * {@link #isNetwork}.
     */
    void whenReady(Consumer<String> told) {
        whenReady = told;
    }

    /** Executes a {@link Command.Change}. Any thread may call it. */
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
                fail(new IllegalStateException("its rate was changed before it had reported that it is ready"));
                return;
            }
            changed.change(Long.parseLong(changes.getOrDefault(SendPlan.AT, "0")), Double.parseDouble(rate));
        }
    }

    /**
     * Returns the delivered records if the harness requested them, otherwise null. Call it after the driver has
     * returned.
     */
    Report.@Nullable Delivered told() {
        return options.tells() ? new Report.Delivered(book.numbers()) : null;
    }

    /**
     * Reports an acknowledged record with a value of {@code valueBytes} bytes. Only one thread at a time may call it.
     *
     * @param ticket from {@link Pacer#next}
     */
    public void acknowledged(long ticket, int valueBytes) {
        lateness.acknowledged(ticket);
        acknowledged(valueBytes);
    }

    /**
     * Reports an acknowledged record with a value of {@code valueBytes} bytes. Only one thread at a time may call it.
     */
    public void acknowledged(int valueBytes) {
        var unused = count(valueBytes);
    }

    /**
     * Reports a committed transaction with this many records of the requested length. Only one thread at a time may
     * call it. The first transaction starts the measured time, and its records do not count.
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

    /** Reports the library's failure. Null has no effect. Any thread may call it. */
    public void fail(@Nullable Throwable cause) {
        course.fail(cause);
    }

    /**
     * Throws the library's failure if there is one. Call it before committing, so that no offsets of unwritten records
     * are committed. Any thread may call it.
     */
    public void requireNoFailure() {
        course.requireNoFailure();
    }

    /** Fails the pass if {@code run} fails. */
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

    Course course() {
        return course;
    }

    /** Returns the report of the pass. Call it after the driver has returned. */
    Report.Passed result() {
        Course.Span span = course.span();
        boolean complete = span.to().records() >= wanted;
        // A COPY driver writes and commits until it returns, so the usage is read now.
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
