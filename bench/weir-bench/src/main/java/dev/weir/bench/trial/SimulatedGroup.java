package dev.weir.bench.trial;

import dev.weir.bench.measurement.GroupSize;
import dev.weir.bench.measurement.TrialMembers;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Failures;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LoadShape;
import dev.weir.driver.PartitionSpread;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.ShareOptions;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A simulated generator, broker and group with their own clock and seeded randomness. The harness measures them without
 * starting processes and without waiting. Confined to one thread. Times are nanoseconds since the plan began.
 *
 * <p>The plan, its shape, the spread over partitions and the handlers' times are the same as in real runs. Everything
 * else is simplified. A record becomes available {@link #APPEND_NANOS} after it was sent, and fetching it takes another
 * {@link #FETCH_NANOS}. The copy of a record becomes available {@link #APPEND_NANOS} after it was committed, and
 * fetching the copy also takes {@link #FETCH_NANOS}.
 *
 * <p>In scenarios without a group, a single driver either sends or reads. If it sends the records of the plan, each
 * record is acknowledged {@link #APPEND_NANOS} after it is due. If it reads at a steady rate, it receives each record
 * {@link #FETCH_NANOS} after the record has become available. In all other scenarios, the driver's name selects one of
 * three kinds of groups:
 *
 * <pre>
 * kafka-share...   each worker polls a batch and holds its locks until all records of the batch are done
 * weir-share...    a free worker takes one record, from any partition with a free lock
 * others           a consumer group: the workers of a process take from its partitions, in the requested order
 * </pre>
 */
final class SimulatedGroup {
    static final long APPEND_NANOS = 1_000_000;
    static final long FETCH_NANOS = 1_000_000;

    /** The time for which restarted members are away, and the time that a group takes to form. */
    static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long OVERHEAD_NANOS = 60_000; // per handler call, including the wake-up
    private static final double JITTER = 0.3; // relative jitter of appending and fetching
    private static final int POLL_RECORDS = 500;

    enum Kind {
        CONSUMERS,
        GREEDY,
        FAIR,
        /** A single driver whose handlers do not block. */
        STREAM;

        static Kind of(WorkloadPoint point, String driver) {
            if (!point.isChangeable() && point.isPlanned()) {
                return STREAM;
            }
            return driver.startsWith("kafka-share") ? GREEDY : driver.startsWith("weir-share") ? FAIR : CONSUMERS;
        }
    }

    private record Sent(int partition, long number, long dueNanos) {}

    private record Event(
            long atNanos,
            long order,
            @Nullable Worker worker,
            @Nullable Sent arrived) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return atNanos != other.atNanos ? Long.compare(atNanos, other.atNanos) : Long.compare(order, other.order);
        }
    }

    private static final class Worker {
        private final int process;
        private final Deque<Sent> held = new ArrayDeque<>(); // the worker's records; it is handling the first one
        private int locked; // number of records that stay locked until all of them are done
        private boolean isBusy;
        private long begunNanos;

        Worker(int process) {
            this.process = process;
        }
    }

    private final WorkloadPoint point;
    private final Kind kind;
    private final GroupSize size;
    private final SimulatedReports reports;
    private final HandlerWork work;
    private final double workMillis;
    private final long retryNanos;
    private final double failures; // fraction of calls that fail
    private final boolean isOrdered;
    private final boolean isFetched; // whether the single driver reads
    private final boolean copies;
    private final long commitNanos; // 0 if writes are visible immediately
    private final int locks;
    private final int pollRecords;
    private final SplittableRandom random;
    private final SendPlan plan;
    private final PartitionSpread spread;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Deque<Sent>> waiting = new ArrayList<>(); // by partition
    private final int[] inFlight; // number of records in flight, by partition
    private final boolean[] isAway; // by process
    private final long[] numbers;

    private long order;
    private long nowNanos;
    private long pausedUntilNanos = Long.MIN_VALUE;
    private long came;
    private long retried;
    private long sent;
    private boolean isSending = true;
    private int turn; // next partition to poll
    private int busy; // number of busy workers
    private int waitingRecords; // number of waiting records in all partitions
    private int nextIdle; // the first worker to check
    private int stride = 1; // distance to the next checked worker; reaches all workers

    /**
     * Creates a group whose members have joined.
     *
     * @param rate the rate of the plan, in records per second
     * @param isLate whether the members join only when {@link #join} is called
     */
    SimulatedGroup(
            WorkloadPoint point,
            String driver,
            double rate,
            long seed,
            boolean isLate,
            TrialMembers.Listener listener) {
        this.point = point;
        this.kind = Kind.of(point, driver);
        this.size = new GroupSize(point, kind == Kind.GREEDY || kind == Kind.FAIR);
        this.work = HandlerWork.of(point.options());
        this.workMillis = Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
        this.retryNanos = millis(Failures.RETRY_MILLIS);
        this.failures = point.failures();
        this.isOrdered = point.ordering() != HandlerOrder.NONE;
        this.isFetched = point.scenario() != Scenario.PRODUCE;
        this.copies = point.copiesByPlan();
        this.commitNanos = point.isExactlyOnce() ? millis(PassOptions.COMMIT_INTERVAL) : 0;
        this.locks = ShareOptions.locks(point.options());
        int said = ShareOptions.number(point.options(), ShareOptions.POLL_RECORDS);
        this.pollRecords = said > 0
                ? said
                : Integer.parseInt(point.client().getOrDefault("max.poll.records", Integer.toString(POLL_RECORDS)));
        this.random = new SplittableRandom(seed);
        this.plan = (point.arrivals().equals("poisson") ? SendPlan.poisson(rate, seed) : SendPlan.constant(rate))
                .shaped(LoadShape.parse(point.shape()));
        int partitions = point.partitions();
        this.spread = new PartitionSpread(partitions, point.partitionSkew());
        this.inFlight = new int[partitions];
        this.numbers = new long[partitions];
        this.isAway = new boolean[kind == Kind.STREAM ? 1 : size.processes()];
        this.reports = new SimulatedReports(point, isAway.length, workMillis > 0, listener);
        for (int process = 0; process < isAway.length; process++) {
            int workersOf = kind == Kind.CONSUMERS || kind == Kind.STREAM
                    ? ShareOptions.number(point.options(), PassOptions.CONCURRENCY)
                    : size.consumers(process);
            for (int i = 0; i < workersOf; i++) {
                workers.add(new Worker(process));
            }
            isAway[process] = isLate;
        }
        for (int partition = 0; partition < partitions; partition++) {
            waiting.add(new ArrayDeque<>());
        }
        stride = stride(Math.max(1, workers.size() / Math.max(1, isAway.length)), workers.size());
        sendNext();
    }

    private long millis(String option) {
        return TimeUnit.MILLISECONDS.toNanos(ShareOptions.number(point.options(), option));
    }

    int handlers() {
        return size.handlers();
    }

    int processes() {
        return isAway.length;
    }

    long nowNanos() {
        return nowNanos;
    }

    long came() {
        return came;
    }

    long sent() {
        return sent;
    }

    /** The number of failed handler calls. Each failed call was repeated. */
    long retried() {
        return retried;
    }

    void sendNoMore() {
        isSending = false;
    }

    void advance(long toNanos) {
        while (nowNanos < toNanos) {
            long due = reports.dueNanos();
            long next = Math.min(toNanos, due);
            run(next);
            nowNanos = next;
            if (next == due) {
                reports.report(next);
            }
        }
    }

    /** The number of acquired records in the partition that has the most of them; 0 if this is not a share group. */
    int locksHeld() {
        return kind == Kind.CONSUMERS || kind == Kind.STREAM
                ? 0
                : Arrays.stream(inFlight).max().orElse(0);
    }

    void pause(long nanos) {
        pausedUntilNanos = nowNanos + nanos;
        advance(pausedUntilNanos);
        wakeAll();
    }

    /** Makes the first half of the processes leave and, after {@link #JOIN_NANOS}, rejoin. */
    void restartHalf() {
        int half = (isAway.length + 1) / 2;
        Arrays.fill(isAway, 0, half, true);
        for (Worker worker : workers) {
            if (isAway[worker.process]) {
                release(worker);
            }
        }
        wakeAll();
        advance(nowNanos + JOIN_NANOS);
        Arrays.fill(isAway, false);
        wakeAll();
    }

    void join() {
        Arrays.fill(isAway, false);
        wakeAll();
    }

    /** Releases the records that a worker has acquired but not begun. */
    private void release(Worker worker) {
        Sent inWork = worker.isBusy ? worker.held.pollFirst() : null;
        while (!worker.held.isEmpty()) {
            Sent given = worker.held.removeLast();
            waiting.get(given.partition).addFirst(given);
            waitingRecords++;
            inFlight[given.partition]--;
            worker.locked--;
        }
        if (inWork != null) {
            inFlight[inWork.partition] -= worker.locked - 1;
            worker.locked = 1;
            worker.held.add(inWork);
        }
    }

    private void run(long untilNanos) {
        for (Event next = events.peek(); next != null && next.atNanos <= untilNanos; next = events.peek()) {
            events.remove();
            Sent arrived = next.arrived;
            Worker worker = next.worker;
            if (arrived != null && kind == Kind.STREAM) {
                nowNanos = next.atNanos;
                long fetched = isFetched ? jittered(FETCH_NANOS) : 0;
                reports.done(0, arrived.partition, Math.max(0, nowNanos + fetched - arrived.dueNanos), 0, 0);
                came++;
                if (isSending) {
                    sendNext();
                }
            } else if (arrived != null) {
                nowNanos = next.atNanos;
                waiting.get(arrived.partition).add(arrived);
                waitingRecords++;
                if (isSending) {
                    sendNext();
                }
                wake();
            } else if (worker != null && next.atNanos < pausedUntilNanos) {
                schedule(pausedUntilNanos + (next.atNanos - worker.begunNanos) / 2, worker, null);
            } else if (worker != null) {
                nowNanos = next.atNanos;
                done(worker);
            }
        }
    }

    private void sendNext() {
        long due = plan.nextNanos();
        int partition = spread.next();
        schedule(due + jittered(APPEND_NANOS), null, new Sent(partition, ++numbers[partition], due));
    }

    /** The time at which a record is received if its handler finishes now. */
    private long seenNanos() {
        if (!copies) {
            return nowNanos;
        }
        long committed = commitNanos == 0 ? nowNanos : Math.ceilDiv(nowNanos, commitNanos) * commitNanos;
        return committed + jittered(APPEND_NANOS) + jittered(FETCH_NANOS);
    }

    private long jittered(long nanos) {
        return (long) (nanos * (1 + JITTER * random.nextDouble()));
    }

    private void schedule(long atNanos, @Nullable Worker worker, @Nullable Sent arrived) {
        events.add(new Event(Math.max(atNanos, nowNanos), order++, worker, arrived));
        if (arrived != null) {
            sent++;
            reports.sent(arrived.partition);
        }
    }

    private void done(Worker worker) {
        Sent record = worker.held.removeFirst();
        worker.isBusy = false;
        busy--;
        int failed = Failures.of(failures, record.partition, record.number);
        retried += failed;
        reports.done(
                worker.process,
                record.partition,
                Math.max(0, seenNanos() - record.dueNanos),
                1 + failed,
                nowNanos - worker.begunNanos - failed * retryNanos);
        came++;
        if (worker.held.isEmpty()) {
            inFlight[record.partition] -= worker.locked;
            worker.locked = 0;
            takeNext(worker, kind == Kind.GREEDY); // Batches are fetched; single records are prefetched.
            if (kind != Kind.FAIR) {
                wake(); // Other workers can take the released records.
            }
        } else {
            begin(worker, 0);
        }
    }

    /** Lets idle workers take records while there are records that they may take. */
    private void wake() {
        if (busy == workers.size() || nowNanos < pausedUntilNanos || waitingRecords == 0) {
            return;
        }
        // Begin each call with another worker, to spread few records over all processes.
        int from = nextIdle++;
        for (int i = 0; i < workers.size(); i++) {
            Worker worker = workers.get(Math.floorMod(from + i * stride, workers.size()));
            if (worker.isBusy || isAway[worker.process]) {
                continue;
            }
            boolean found = takeNext(worker, true);
            // In a share group, any worker may take any record, so the other workers find none either.
            if (found ? waitingRecords == 0 : kind != Kind.CONSUMERS) {
                return;
            }
        }
    }

    private void wakeAll() {
        wake();
    }

    /**
     * Returns the smallest number from {@code from} on that is coprime to {@code workers}. Steps of this size reach
     * every worker.
     */
    private static int stride(int from, int workers) {
        int stride = from;
        while (workers > 0
                && BigInteger.valueOf(stride).gcd(BigInteger.valueOf(workers)).intValue() != 1) {
            stride++;
        }
        return stride;
    }

    /**
     * Lets an idle worker take records. Returns false if there are no records that the worker may take.
     *
     * @param fetches whether the records must be fetched first
     */
    private boolean takeNext(Worker worker, boolean fetches) {
        if (isAway[worker.process] || nowNanos < pausedUntilNanos) {
            return false;
        }
        for (int i = 0; i < waiting.size(); i++) {
            int partition = (turn + i) % waiting.size();
            Deque<Sent> from = waiting.get(partition);
            int most = from.isEmpty() ? 0 : Math.min(from.size(), most(worker, partition));
            if (most > 0) {
                for (int taken = 0; taken < most; taken++) {
                    worker.held.add(from.removeFirst());
                }
                waitingRecords -= most;
                worker.locked = most;
                inFlight[partition] += most;
                turn = partition + 1;
                begin(worker, fetches ? jittered(FETCH_NANOS) : 0);
                return true;
            }
        }
        return false;
    }

    private int most(Worker worker, int partition) {
        return switch (kind) {
            case FAIR -> inFlight[partition] < locks ? 1 : 0;
            case GREEDY -> Math.min(pollRecords, locks - inFlight[partition]);
            case CONSUMERS, STREAM -> {
                boolean mayTake = owner(partition) == worker.process && (!isOrdered || inFlight[partition] == 0);
                yield mayTake ? 1 : 0;
            }
        };
    }

    private int owner(int partition) {
        int there = 0;
        for (boolean away : isAway) {
            there += away ? 0 : 1;
        }
        int left = there == 0 ? -1 : partition % there;
        for (int process = 0; process < isAway.length; process++) {
            if (!isAway[process] && left-- == 0) {
                return process;
            }
        }
        return -1;
    }

    private void begin(Worker worker, long waitNanos) {
        worker.isBusy = true;
        busy++;
        worker.begunNanos = nowNanos + waitNanos;
        Sent record = worker.held.getFirst();
        double factor = work.factorOf(record.number);
        long nanos = (long) (workMillis * factor * TimeUnit.MILLISECONDS.toNanos(1)) + OVERHEAD_NANOS;
        // The worker is busy until its retries are over.
        int failed = Failures.of(failures, record.partition, record.number);
        schedule(worker.begunNanos + (1 + failed) * nanos + failed * retryNanos, worker, null);
    }
}
