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
 * One pass under way: what was ordered, and the book of what was delivered. Orders are for any thread; each delivery is
 * told by one thread at a time through {@link #delivered}, or by any through {@link #deliveredConcurrently}.
 */
public final class Pass {
    /** Figure: how many records were there before they were due, by clocks that were compared. Left out for none. */
    public static final String EARLY_RECORDS = "clock: early records";

    /** Figure: by how much the one was that came the most before, negative. */
    public static final String EARLIEST_MILLIS = "clock: earliest ms";

    /** Figure of who sends by a plan: the nice value of its process, negative where it goes before others. */
    public static final String SENDER_NICENESS = "generator: nice value";

    /**
     * A figure of each pass: how long all threads of the process together could have run and waited for a core, by
     * the time of the pass, in percent. Missing where the system does not say, or threads that had waited for long
     * ended meanwhile.
     */
    public static final String WAITED_FOR_CORES = "driver: waited for a core %";

    /**
     * A figure that drivers tell which have no Kafka client to ask: for how much of the time of a pass a fetch was
     * under way, in percent.
     */
    public static final String FETCH_UNDER_WAY = "driver: fetch under way %";

    /**
     * A figure of Kafka's consumers: how many fetches are on their way at a time, by the mean; of all of them together.
     */
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
    private final ReentrantLock lock = new ReentrantLock(); // of deliveries that come concurrently
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
     * The topics to read, one or several, or to write to. Deliveries are told by the {@link TopicSet#number} of a
     * partition.
     */
    public TopicSet topics() {
        return topics;
    }

    /** The consumer group, which the brokers do not know yet. */
    public String group() {
        return order.group();
    }

    /** The number of records that are to be delivered or produced. */
    public long wanted() {
        return wanted;
    }

    public PassOptions options() {
        return options;
    }

    /** Properties of Kafka clients for it. */
    public ClientConfig clientConfig() {
        return clientConfig;
    }

    /** A value of the ordered length, its own array, for the record of that number. */
    public byte[] value(long number) {
        return RecordLayout.value(configuration.valueBytes(), number);
    }

    /** The same, with the time at which it is to be sent, and behind it, where there is room, its partition. */
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

    /** A name of this member of the group, which nobody else has: the same for all passes of its process. */
    public String member() {
        return group() + "-" + ProcessHandle.current().pid();
    }

    /** Returns whether enough came, or time ran out: the driver then closes down. */
    public boolean isDone() {
        return course.isOver();
    }

    /** Waits until {@link #isDone}. */
    public void awaitDone() throws InterruptedException {
        course.await();
    }

    /** Waits so long, or until {@link #isDone}, which it returns. */
    public boolean awaitDone(long millis) throws InterruptedException {
        return course.await(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** A record was handed to user code. One thread at a time. */
    public void delivered(int partition, byte[] value) {
        delivered(partition, RecordLayout.number(value), RecordLayout.dueNanos(value), value.length);
    }

    /**
     * A record was handed to user code. One thread at a time.
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

    /** Waits in the place of user code. In steps of a millisecond or more: shorter ones would be mostly overhead. */
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
     * A handler has done its work for a record, which is not yet delivered: it may be to fail. Any thread, one at a
     * time for a record.
     *
     * @throws HandlerFailure if it is; the library is to call the handler again {@link PassOptions#retryMillis} later
     */
    public void attempted(int partition, byte[] value) {
        book.attempted(partition, RecordLayout.number(value));
    }

    /**
     * The work of {@link Scenario#COPY} on a record between reading and writing it, the same for all libraries: the
     * work of the workload, which may be none. It counts the record as taken; what was written the harness finds in the
     * output. Any thread.
     *
     * @return the value to be written
     */
    public byte[] step(byte[] value) {
        step(RecordLayout.number(value));
        return value;
    }

    /**
     * The same for a value that is read where it lies.
     *
     * @param number the first 8 bytes of the value
     */
    public void step(long number) {
        course.begin(0, 0);
        work.on(number);
        tally.step();
    }

    /**
     * The partition of a record of {@link Scenario#COPY}, which its value holds. It is to be written to the partition
     * of that number.
     */
    public int partition(byte[] value) {
        return RecordLayout.partition(value, partitionAt);
    }

    /** The work of each handler; the pass tells how long that took. Thread-safe. */
    public HandlerWork work() {
        return work;
    }

    /** A poll of the driver's own loop returned so many records, or none. Any thread. */
    public void polled(int records) {
        PollSizes.OF_PROCESS.polled(records);
    }

    /** Adds a figure to the ones that clients report, such as {@code share: lanes}. Any thread. */
    public void figure(String name, double value) {
        figures.put(name, value);
    }

    /** The figures added so far. */
    Map<String, Double> figures() {
        return Map.copyOf(figures);
    }

    /** A record's work is done. Any thread. */
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

    /** Notes how late a record is sent, or comes; 0 is no planned time. One thread at a time. */
    public void wasDue(int partition, long plannedNanos) {
        lateness.came(partition, plannedNanos);
    }

    /** The lateness noted by {@link #wasDue} and {@link #pacer}. */
    Lateness lateness() {
        return lateness;
    }

    /** The time when the records of {@link Scenario#PRODUCE} are to be sent; for one thread. */
    public Pacer pacer() {
        return new Pacer(this, new PacerClock.OfProcess());
    }

    /**
     * The plan of who sends, which {@link #change} may change; it says by that that it is connected.
     * Once, for one thread.
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
     * The pass is a network of a member, which waits for connections there.
     *
     * @param changed hears what is to befall it, as options of a {@link NetworkFault};
     *     on the thread that hears commands
     */
    public void isNetwork(String address, Consumer<Map<String, String>> changed) {
        whenChanged = changed;
        whenReady.accept(address);
    }

    /** Hears when the plan is asked for, or where a network is, on that thread. */
    void whenReady(Consumer<String> told) {
        whenReady = told;
    }

    /** Does what a {@link Command.Change} says. Any thread. */
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

    /** The delivered records, where they are asked for; null elsewhere. When the driver has returned. */
    Report.@Nullable Delivered told() {
        return options.tells() ? new Report.Delivered(book.numbers()) : null;
    }

    /**
     * A produced record of that many bytes was acknowledged. One thread at a time.
     *
     * @param ticket of {@link Pacer#next}
     */
    public void acknowledged(long ticket, int valueBytes) {
        lateness.acknowledged(ticket);
        acknowledged(valueBytes);
    }

    /** A produced record of that many bytes was acknowledged. One thread at a time. */
    public void acknowledged(int valueBytes) {
        var unused = count(valueBytes);
    }

    /**
     * A transaction of so many records of the ordered length was committed. One thread at a time. With the first one,
     * time begins to count, and what it holds took time before.
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

    /** The library gave up; does nothing for null, so that it can be told how anything ended. Any thread. */
    public void fail(@Nullable Throwable cause) {
        course.fail(cause);
    }

    /** Fails as the library did, if it did: before offsets of what was not written are committed. Any thread. */
    public void requireNoFailure() {
        course.requireNoFailure();
    }

    /** The pass fails if {@code run} does. */
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

    /** The figures, when the driver has returned. */
    Report.Passed result() {
        Course.Span span = course.span();
        boolean complete = span.to().records() >= wanted;
        // What it has taken, a copy writes and commits until the driver returns. Context switches have gone with its
        // threads.
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
