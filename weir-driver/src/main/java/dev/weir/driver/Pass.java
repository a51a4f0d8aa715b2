package dev.weir.driver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One pass under way: what was ordered, and the book of what was delivered. Orders are for any thread; each delivery is
 * told by one thread at a time through {@link #delivered}, or by any through {@link #deliveredConcurrently}.
 *
 * <p>A value begins with its number in its partition, from 0, as a big-endian long. A key is its number, a big-endian int;
 * all records of a key are in one partition.
 */
public final class Pass {
    /** The least length of a value: its number, and the time at which it was to be sent. */
    public static final int MIN_VALUE_BYTES = 16;

    /** Option: {@link #commitIntervalMillis}. */
    public static final String COMMIT_INTERVAL = "commit.interval.millis";

    /** Option: {@link #commitAhead}. */
    public static final String COMMIT_AHEAD = "commit.ahead.records";

    /** Option: {@link #concurrency}. */
    public static final String CONCURRENCY = "concurrency";

    /** Option: {@link #ordering}. */
    public static final String ORDERING = "ordering";

    /** Option: {@link #outputTopic}. */
    public static final String OUTPUT = "output.topic";

    /** Option: user code takes no more records in a second, on average since the first one; 0: as many as come. */
    public static final String SINK_RATE = "sink.records.per.second";

    /** Option: {@link #inFlight}. */
    public static final String IN_FLIGHT = "in.flight.records";

    /** Option: {@link #transactionRecords}. */
    public static final String TRANSACTION_RECORDS = "transaction.records";

    /** Option: {@code true} where members come and go, so that records come again; those are not counted again. */
    public static final String REPEATS = "repeats";

    /** Option: {@code true} where the driver's process tells at the end which records came. */
    public static final String TELLS = "tell.delivered";

    /** Option: {@code true} where intervals tell what clients are at, once a second. */
    public static final String SERIES = "series";

    /** Option: the file of {@link GroupNumbers} in which the members of a group note what came; without it, none does. */
    public static final String GROUP_NUMBERS = "group.numbers";

    /** Option: the file in which this pass alone notes that, for who reads it when the process was killed; it goes with the pass. */
    public static final String OWN_NUMBERS = "own.numbers";

    /**
     * Properties of a consumer that fetches much at a time, the same for all drivers whose name ends with
     * {@code -tuned}.
     */
    public static final Map<String, String> LARGE_FETCHES = Map.of(
            "max.poll.records", "5000",
            "max.partition.fetch.bytes", Integer.toString(8 << 20),
            "receive.buffer.bytes", Integer.toString(1 << 20));

    /** Option: {@link #isExactlyOnce}. */
    public static final String GUARANTEE = "guarantee";

    /** A {@link #GUARANTEE}. */
    public static final String EXACTLY_ONCE = "exactly-once";

    /** Figure: how many records were there before they were due, by clocks that were compared. Left out for none. */
    public static final String EARLY_RECORDS = "clock: early records";

    /** Figure: by how much the one was that came the most before, negative. */
    public static final String EARLIEST_MILLIS = "clock: earliest ms";

    /** Figure of who sends by a plan: the nice value of its process, negative where it goes before others. */
    public static final String SENDER_NICENESS = "generator: nice value";

    /**
     * Option: where in the value of a record of {@link Scenario#COPY} the number of its partition stands, an int:
     * {@link #PARTITION_BEHIND_NUMBER}, or behind the planned time.
     */
    public static final String PARTITION_AT = "partition.at";

    /** A {@link #PARTITION_AT} of records without a planned time, in the last half of its place. */
    public static final int PARTITION_BEHIND_NUMBER = 12;

    /** A {@link #PARTITION_AT} of records with one. */
    public static final int PARTITION_BEHIND_TIME = 16;

    /** Which records are worked on one after the other. */
    public enum Order {
        /** Those of a partition. */
        PARTITION,
        /** Those of a key. */
        KEY,
        /** None. */
        NONE
    }

    /**
     * A figure of each pass: how long all threads of the process together could have run and waited for a core, by
     * the time of the pass, in percent. Missing where the system does not say, or threads that had waited for long
     * ended meanwhile.
     */
    public static final String WAITED_FOR_CORES = "driver: waited for a core %";

    /**
     * A figure that drivers tell which have no Kafka client to ask: for how much of the time of a pass a fetch was under way, in
     * percent.
     */
    public static final String FETCH_UNDER_WAY = "driver: fetch under way %";

    /** A figure of Kafka's consumers: how many fetches are on their way at a time, by the mean; of all of them together. */
    public static final String FETCHES_OF_CLIENT = "client: fetches under way";

    private static final long SINK_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    // Written by the delivering thread only (or under the lock), read by the sampler: opaque is enough.
    private long records;
    private long bytes;

    // Written by the delivering thread only (or under the lock), read when the driver has returned.
    private long early; // records that came before they were due
    private long earliestNanos; // the most they were, negative

    private final Command.Configure configuration;
    private final Command.Start order;
    private final long wanted;
    private final long limitNanos;
    private final double sinkNanos; // per record; 0: no limit
    private final TopicSet topics;
    private final DeliveryBook book;
    private final @Nullable GroupNumbers ofGroup;
    private final HandlerWork work;
    private final int partitionAt;
    private final @Nullable Timings timings; // only where records have planned times; the last is of lateness
    private final long planStartNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final LongAdder taken = new LongAdder(); // by step
    private final AtomicBoolean beginning = new AtomicBoolean();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final long orderedNanos = System.nanoTime();

    private volatile boolean isDone;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Mark start;
    private volatile @Nullable Mark end;
    private volatile Map<String, Double> client = Map.of();
    private volatile long waitedBefore = -1;
    private final Map<String, Double> figures = new ConcurrentHashMap<>();
    private volatile @Nullable SendPlan plan;
    private volatile Consumer<String> whenReady = address -> {};
    private volatile @Nullable Consumer<Map<String, String>> whenChanged; // of a network

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle RECORDS;
    private static final VarHandle BYTES;

    static {
        try {
            RECORDS = MethodHandles.lookup().findVarHandle(Pass.class, "records", long.class);
            BYTES = MethodHandles.lookup().findVarHandle(Pass.class, "bytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    Pass(Command.Configure configuration, Command.Start order) {
        this(configuration, order, GroupType.CONSUMER);
    }

    Pass(Command.Configure configuration, Command.Start order, GroupType groupType) {
        this.configuration = configuration;
        this.order = order;
        long all = configuration.recordsPerPartition() * configuration.partitions();
        this.wanted = order.records() > 0 ? Math.min(order.records(), all) : all;
        this.limitNanos = (long) (order.seconds() * TimeUnit.SECONDS.toNanos(1));
        double sinkRate = Double.parseDouble(options().getOrDefault(SINK_RATE, "0"));
        this.sinkNanos = sinkRate == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / sinkRate;
        this.topics = TopicSet.of(configuration.topic(), configuration.partitions());
        this.book = new DeliveryBook(configuration, groupType);
        String noted = options().get(options().containsKey(OWN_NUMBERS) ? OWN_NUMBERS : GROUP_NUMBERS);
        this.ofGroup = noted == null
                ? null
                : GroupNumbers.in(Path.of(noted), configuration.partitions(), configuration.recordsPerPartition());
        this.work = HandlerWork.of(options());
        this.partitionAt =
                Integer.parseInt(options().getOrDefault(PARTITION_AT, Integer.toString(PARTITION_BEHIND_NUMBER)));
        this.timings =
                configuration.options().containsKey(SendPlan.RATE) ? new Timings(configuration.partitions() + 1) : null;
        this.planStartNanos = Long.parseLong(options().getOrDefault(SendPlan.START, "0"));
    }

    public Command.Configure configuration() {
        return configuration;
    }

    /** The topics to read, one or several, or to write to. Deliveries are told by the {@link TopicSet#number} of a partition. */
    public TopicSet topics() {
        return topics;
    }

    /** The consumer group, which the brokers do not know yet. */
    public String group() {
        return order.group();
    }

    /** How many records are to be delivered or produced. */
    public long wanted() {
        return wanted;
    }

    public Map<String, String> options() {
        return configuration.options();
    }

    /**
     * Properties of a Kafka consumer: what reaches the brokers, what all drivers share, then the driver's own, then what the
     * workload says. Nothing commits by itself, and reading begins with the first record.
     */
    public Map<String, String> consumerConfig(Map<String, String> driversOwn) {
        Map<String, String> config = connectionConfig();
        config.put("auto.offset.reset", "earliest");
        config.putAll(driversOwn);
        config.putAll(configuration.client());
        config.put("bootstrap.servers", configuration.bootstrapServers());
        config.put("group.id", order.group());
        config.put("enable.auto.commit", "false");
        return config;
    }

    /**
     * Properties of a share consumer, in the same order. Where the group begins and which records it is lent are settings of
     * the group, which the harness has set.
     */
    public Map<String, String> shareConfig(Map<String, String> driversOwn) {
        Map<String, String> config = producerConfig(driversOwn);
        config.remove("isolation.level");
        config.put("group.id", order.group());
        return config;
    }

    /** Properties of a Kafka producer: what reaches the brokers, the driver's own, then what the workload says. */
    public Map<String, String> producerConfig(Map<String, String> driversOwn) {
        Map<String, String> config = connectionConfig();
        config.putAll(driversOwn);
        config.putAll(configuration.client());
        config.put("bootstrap.servers", configuration.bootstrapServers());
        return config;
    }

    /** Properties that any Kafka client needs to reach the brokers; the caller's to change. */
    public Map<String, String> connectionConfig() {
        Map<String, String> config = new HashMap<>(configuration.connection());
        config.put("bootstrap.servers", configuration.bootstrapServers());
        return config;
    }

    /** A value of the ordered length, its own array, for the record of that number. */
    public byte[] value(long number) {
        byte[] value = new byte[configuration.valueBytes()];
        LONGS.set(value, 0, number);
        return value;
    }

    /** The same, with the time at which it is to be sent, and behind it, where there is room, its partition. */
    public byte[] value(long number, long plannedNanos, int partition) {
        byte[] value = value(number);
        LONGS.set(value, Long.BYTES, plannedNanos);
        if (value.length >= PARTITION_BEHIND_TIME + Integer.BYTES) {
            INTS.set(value, PARTITION_BEHIND_TIME, partition);
        }
        return value;
    }

    /** How often {@link Scenario#AT_LEAST_ONCE} commits; the same for all drivers. */
    public long commitIntervalMillis() {
        return Long.parseLong(options().getOrDefault(COMMIT_INTERVAL, "1000"));
    }

    /** How many records {@link Scenario#AT_MOST_ONCE} may commit together before they are handed on, where a library can. */
    public int commitAhead() {
        return Integer.parseInt(options().getOrDefault(COMMIT_AHEAD, "1"));
    }

    /** Where {@link Scenario#PIPELINE} and {@link Scenario#COPY} write. */
    public String outputTopic() {
        String topic = order.output().isEmpty() ? options().get(OUTPUT) : order.output();
        if (topic == null) {
            throw new IllegalArgumentException("no topic to write to is ordered");
        }
        return topic;
    }

    /** Whether {@link Scenario#COPY} writes by transactions that hold the offsets too; else at least once. */
    public boolean isExactlyOnce() {
        return EXACTLY_ONCE.equals(options().get(GUARANTEE));
    }

    /** How many handlers may work at a time, where the library has several. */
    public int concurrency() {
        return Integer.parseInt(options().getOrDefault(CONCURRENCY, "16"));
    }

    /** How many records may be unacknowledged, where a library counts them; 0: as many as it likes. */
    public int inFlight() {
        return Integer.parseInt(options().getOrDefault(IN_FLIGHT, "0"));
    }

    /** How many records {@link Scenario#PRODUCE} sends in a transaction; 0: without transactions. */
    public int transactionRecords() {
        return Integer.parseInt(options().getOrDefault(TRANSACTION_RECORDS, "0"));
    }

    /** A name of this member of the group, which nobody else has: the same for all passes of its process. */
    public String member() {
        return group() + "-" + ProcessHandle.current().pid();
    }

    /** Which order handlers keep, where the library lets one choose. */
    public Order ordering() {
        return ordering(options());
    }

    /** The order that these options ask for. */
    public static Order ordering(Map<String, String> options) {
        String wanted = options.getOrDefault(ORDERING, "partition");
        for (Order order : Order.values()) {
            if (order.name().toLowerCase(Locale.ROOT).equals(wanted)) {
                return order;
            }
        }
        throw new IllegalArgumentException("ordering must be partition, key or none: ordering=" + wanted);
    }

    /** Whether enough came, or time ran out: the driver then closes down. */
    public boolean isDone() {
        return isDone;
    }

    /** Waits until {@link #isDone}. */
    public void awaitDone() throws InterruptedException {
        done.await();
    }

    /** Waits so long, or until {@link #isDone}, which it returns. */
    public boolean awaitDone(long millis) throws InterruptedException {
        return done.await(millis, TimeUnit.MILLISECONDS);
    }

    /** A record was handed to user code. One thread at a time. */
    public void delivered(int partition, byte[] value) {
        delivered(partition, number(value), (long) LONGS.get(value, Long.BYTES), value.length);
    }

    /**
     * A record was handed to user code. One thread at a time.
     *
     * @param number the first 8 bytes of its value
     * @param plannedNanos the next 8 bytes
     */
    public void delivered(int partition, long number, long plannedNanos, int valueBytes) {
        wasDue(partition, plannedNanos);
        if (ofGroup != null) {
            var unused = ofGroup.came(partition, number);
        }
        if (!book.delivered(partition, number)) {
            return;
        }
        BYTES.setOpaque(this, bytes + valueBytes);
        count(records + 1);
        if (sinkNanos > 0) {
            slowDown();
        }
    }

    /** Waits in the place of user code. In steps of a millisecond or more: shorter ones would be mostly overhead. */
    private void slowDown() {
        Mark from = start;
        if (from != null) {
            long early = from.nanos() + (long) (records * sinkNanos) - System.nanoTime();
            if (early > SINK_STEP_NANOS) {
                LockSupport.parkNanos(early);
            }
        }
    }

    /**
     * A handler has done its work for a record, which is not yet delivered: it may be to fail. Any thread, one at a time for
     * a record.
     *
     * @throws HandlerFailure if it is; the library is to call the handler again {@link #retryMillis} later
     */
    public void attempted(int partition, byte[] value) {
        book.attempted(partition, number(value));
    }

    /**
     * What {@link Scenario#COPY} does with a record between reading and writing it, the same for all libraries: the
     * work of the workload, which may be none. It counts the record as taken; what was written the harness finds in the
     * output. Any thread.
     *
     * @return the value to be written
     */
    public byte[] step(byte[] value) {
        step(number(value));
        return value;
    }

    /**
     * The same for a value that is read where it lies.
     *
     * @param number the first 8 bytes of the value
     */
    public void step(long number) {
        beginOnce(0, 0);
        work.on(number);
        taken.increment();
    }

    /**
     * The partition of a record of {@link Scenario#COPY}, which its value holds. It is to be written to the partition of that
     * number.
     */
    public int partition(byte[] value) {
        return partition(value, partitionAt);
    }

    /** The same of a value that holds it there; it must be long enough. */
    public static int partition(byte[] value, int partitionAt) {
        return (int) INTS.get(value, partitionAt);
    }

    /** What each handler does; the pass tells how long that took. Thread-safe. */
    public HandlerWork work() {
        return work;
    }

    /** Adds a figure to those that clients tell of themselves, such as {@code share: lanes}. Any thread. */
    public void figure(String name, double value) {
        figures.put(name, value);
    }

    /** Those that were added so far. */
    Map<String, Double> figures() {
        return Map.copyOf(figures);
    }

    /** Whether some handlers fail. */
    public boolean hasFailures() {
        return Double.parseDouble(options().getOrDefault(Failures.SHARE, "0")) > 0;
    }

    /** How long to wait before a handler is called again that failed. */
    public long retryMillis() {
        return Long.parseLong(options().getOrDefault(Failures.RETRY_MILLIS, "10"));
    }

    /** A record's work is done. Any thread. */
    public void deliveredConcurrently(int partition, byte @Nullable [] key, byte[] value) {
        long number = number(value);
        lock.lock();
        try {
            if (key != null) {
                book.deliveredOfKey(partition, (int) INTS.get(key, 0), number);
            }
            delivered(partition, value);
        } finally {
            lock.unlock();
        }
    }

    /** Notes how late a record is sent, or comes; 0 is no planned time. One thread at a time. */
    public void wasDue(int partition, long plannedNanos) {
        if (timings == null || plannedNanos == 0) {
            return;
        }
        long nanos = CampaignClock.nanos() - plannedNanos;
        if (nanos < 0) {
            early(nanos);
        }
        timings.record(partition, nanos);
    }

    /** A record is there before it is due: by as much as clocks are wrong, which the harness judges. It counts as 0. */
    private void early(long nanos) {
        if (CampaignClock.isShared()) {
            fail(new IllegalStateException("a record is there before it is due: " + SendPlan.NO_COMMON_CLOCK));
        }
        early++;
        earliestNanos = Math.min(earliestNanos, nanos);
    }

    /** What was taken of {@link SendPlan planned} records since the last call. Sampler only. */
    List<String> takeTimings() {
        return timings == null ? List.of() : timings.take();
    }

    /** When the records of {@link Scenario#PRODUCE} are to be sent; for one thread. */
    public Pacer pacer() {
        return new Pacer(this, new PacerClock.OfProcess());
    }

    /** The plan of who sends, which {@link #change} may change; it says by that that it is connected. Once, for one thread. */
    public SendPlan plan() {
        SendPlan made = SendPlan.of(options());
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
     * @param changed hears what is to befall it, as options of a {@link NetworkFault}; on the thread that hears commands
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
    void change(Map<String, String> options) {
        Consumer<Map<String, String>> network = whenChanged;
        if (network != null) {
            network.accept(options);
            return;
        }
        String millis = options.get(HandlerWork.MILLIS);
        if (millis != null) {
            work.blockFor(Double.parseDouble(millis));
        }
        String rate = options.get(SendPlan.RATE);
        if (rate != null) {
            SendPlan changed = plan;
            if (changed == null) {
                fail(new IllegalStateException("its rate was changed before it had said that it is ready"));
                return;
            }
            changed.change(Long.parseLong(options.getOrDefault(SendPlan.AT, "0")), Double.parseDouble(rate));
        }
    }

    /** Which records came, where that is asked for; null elsewhere. When the driver has returned. */
    Report.@Nullable Delivered told() {
        return Boolean.parseBoolean(options().get(TELLS)) ? new Report.Delivered(book.numbers()) : null;
    }

    /** A record was sent that much later than planned because the thread that sends had overslept. That thread only. */
    void wasLate(long nanos) {
        if (timings != null) {
            timings.record(configuration.partitions(), nanos);
        }
    }

    /**
     * A produced record of that many bytes was acknowledged. One thread at a time.
     *
     * @param ticket of {@link Pacer#next}
     */
    public void acknowledged(long ticket, int valueBytes) {
        if (ticket != 0 && !isDone) { // Given up, it is sent before it is due.
            wasDue(Pacer.partition(ticket), planStartNanos + Pacer.nanosAfterStart(ticket));
        }
        acknowledged(valueBytes);
    }

    /** A produced record of that many bytes was acknowledged. One thread at a time. */
    public void acknowledged(int valueBytes) {
        BYTES.setOpaque(this, bytes + valueBytes);
        count(records + 1);
    }

    /**
     * A transaction of so many records of the ordered length was committed. One thread at a time. With the first one, time
     * begins to count, and what it holds took time before.
     */
    public void committed(int transactionRecords) {
        long before = records;
        BYTES.setOpaque(this, bytes + (long) transactionRecords * configuration.valueBytes());
        RECORDS.setOpaque(this, before + transactionRecords);
        if (before == 0) {
            beginOnce(records, bytes);
        }
        if (before < wanted && records >= wanted) {
            end();
        }
    }

    /** The library gave up; does nothing for null, so that it can be told how anything ended. Any thread. */
    public void fail(@Nullable Throwable cause) {
        if (cause != null) {
            failure = cause;
            isDone = true;
            done.countDown();
        }
    }

    /** Fails as the library did, if it did: before offsets of what was not written are committed. Any thread. */
    public void requireNoFailure() {
        Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("the library failed: " + cause, cause);
        }
    }

    /** The pass fails if {@code run} does. */
    public void failsWith(CompletionStage<?> run) {
        run.whenComplete((end, cause) -> fail(cause));
    }

    private void count(long now) {
        RECORDS.setOpaque(this, now);
        if (now == 1) {
            beginOnce(0, 0);
        }
        if (now == wanted) {
            end();
        }
    }

    /** Time begins, with the first caller's figures. Any thread. */
    private void beginOnce(long recordsBefore, long bytesBefore) {
        if (start == null && beginning.compareAndSet(false, true)) {
            Usage usage = Meters.full();
            waitedBefore = Meters.waitedNanos();
            start = new Mark(System.nanoTime(), recordsBefore, bytesBefore, usage, work.time());
            first.countDown();
        }
    }

    /** Ends it as if its time were up; a pass without a record begins with that. Any thread. */
    void endNow() {
        beginOnce(0, 0);
        end();
    }

    private void end() {
        if (ending.compareAndSet(false, true)) {
            long nanos = System.nanoTime();
            end = new Mark(nanos, Math.min(wanted, recordsSoFar()), bytesSoFar(), Meters.full(), work.time());
            client = ClientMetrics.read(); // Before they are closed.
            Mark from = start;
            long waited = Meters.waitedNanos() - waitedBefore;
            if (from != null && nanos > from.nanos() && waitedBefore >= 0 && waited >= 0) {
                figure(WAITED_FOR_CORES, 100.0 * waited / (nanos - from.nanos()));
            }
            isDone = true;
            done.countDown();
        }
    }

    /** The number of a record in its partition, from 0, which its value begins with. */
    public static long number(byte[] value) {
        return (long) LONGS.get(value, 0);
    }

    long recordsSoFar() {
        return (long) RECORDS.getOpaque(this) + taken.sum();
    }

    long bytesSoFar() {
        return (long) BYTES.getOpaque(this) + taken.sum() * configuration.valueBytes();
    }

    /** Waits for the first record; null if the pass is given up before. Sampler only. */
    @Nullable
    Mark awaitFirst(long nanos) throws InterruptedException {
        return first.await(nanos, TimeUnit.NANOSECONDS) ? start : null;
    }

    /** Waits that long for the end; ends the pass if its time is up. Sampler only. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        boolean ended = done.await(nanos, TimeUnit.NANOSECONDS);
        Mark from = start;
        if (!ended && from != null && (System.nanoTime() - from.nanos() >= limitNanos || taken.sum() >= wanted)) {
            end();
            return true;
        }
        return ended;
    }

    /**
     * Where the books stand, or stood when the pass ended: what comes after that is in no interval, so that intervals add
     * up to the pass. Sampler only.
     */
    Mark mark() throws InterruptedException {
        Mark now = new Mark(System.nanoTime(), recordsSoFar(), bytesSoFar(), Meters.quick(), work.time());
        if (!ending.get()) {
            return now; // The end comes later than this.
        }
        done.await();
        Mark to = end;
        return to == null ? now : to;
    }

    /** Whether that mark is of the end. */
    boolean endsAt(Mark mark) {
        return mark == end;
    }

    /** The figures, when the driver has returned. */
    Report.Passed result() {
        requireNoFailure();
        Mark from = start;
        Mark to = end;
        if (from == null || to == null) {
            throw new IllegalStateException("the driver ended its pass after " + recordsSoFar() + " of " + wanted
                    + " records, before enough came or time ran out");
        }
        boolean complete = to.records() >= wanted;
        // What it has taken, a copy writes and commits until the driver returns. Context switches have gone with its
        // threads.
        Usage used = isCopy() ? Meters.quick() : to.usage();
        figures.putAll(client);
        if (early > 0) {
            figures.put(EARLY_RECORDS, (double) early);
            figures.put(EARLIEST_MILLIS, earliestNanos / 1e6);
        }
        return new Report.Passed(
                complete,
                to.records() - from.records(),
                to.bytes() - from.bytes(),
                to.nanos() - from.nanos(),
                from.nanos() - orderedNanos,
                System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from.nanos()),
                used.since(from.usage()),
                ledger(complete),
                new TreeMap<>(figures),
                to.handlers().since(from.handlers()));
    }

    private LedgerFigures ledger(boolean complete) {
        if (configuration.scenario() == Scenario.PRODUCE || isCopy()) {
            return new LedgerFigures(recordsSoFar(), 0, 0, 0, 0);
        }
        boolean all = complete && wanted == configuration.recordsPerPartition() * configuration.partitions();
        return book.figures(all);
    }

    private boolean isCopy() {
        return configuration.scenario() == Scenario.COPY;
    }

    /** Where the books stood at a moment. */
    record Mark(long nanos, long records, long bytes, Usage usage, HandlerTime handlers) {}
}
