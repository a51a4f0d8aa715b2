package dev.weir.testkit.internal.simulation;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import dev.weir.testkit.internal.simulation.Draw.Of;
import dev.weir.testkit.internal.simulation.Plan.Event;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * A simulated run with its topics and its time. The simulation and the pipeline take turns: while one of them runs, the
 * other waits. Confined to the consumer's thread of the current process, except for {@link #check}, which pipeline
 * threads call when they pull records.
 */
final class World implements Surroundings {

    /** Longest real time that the pipeline may be busy before the simulation fails. */
    private static final Duration REST_LIMIT = Duration.ofSeconds(20);

    /** Simulated time for committing everything after the last failure. */
    private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Real time given to threads outside the pipeline before simulated time advances. */
    private static final long FOREIGN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Scenario scenario;
    private final Draw draw;
    private final VirtualClock clock = new VirtualClock();
    private final History history = new History(clock);
    private final Ledger ledger;
    private final Outputs outputs;
    private final Map<TopicPartition, PartitionLog> logs = new LinkedHashMap<>();
    private final Group group;
    private final Plan plan;
    private final Gate gate = new Gate();

    private volatile @Nullable SimulatedProcess process;
    private int starts;
    private int commits;
    private boolean calm;
    private long calmSinceNanos;

    /** True if the pipeline has come to rest since the last simulated event. */
    private boolean rested;

    /** True if everything is committed and the pipeline was asked to stop. */
    private volatile boolean through;

    World(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.draw = new Draw(seed);
        this.ledger = new Ledger(scenario, draw, clock, history);
        this.outputs = new Outputs(this, scenario, draw, clock, history, ledger);
        this.plan = new Plan(draw);
        this.group = new Group(this, draw.oneIn(2, Of.PLAN, 6));
        scenario.topics().forEach((topic, partitions) -> {
            for (int partition = 0; partition < partitions; partition++) {
                TopicPartition id = new TopicPartition(topic, partition);
                PartitionLog log = new PartitionLog(id, logs.size(), scenario, draw);
                log.grow(draw.below(40, Of.PLAN, 7, log.number));
                logs.put(id, log);
            }
        });
    }

    // ---- For SimulationRun -----------------------------------------------------------------------------------------

    /** Starts the user's process. Only the group's committed offsets remain of earlier processes. */
    SimulatedProcess start(String bootstrapServers) {
        ledger.discard();
        ledger.crashed(false);
        starts++;
        SimulatedProcess begun = new SimulatedProcess(bootstrapServers, ledger, clock);
        process = begun;
        history.world("the process starts");
        return begun;
    }

    boolean isThrough() {
        return through;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Returns whether this failure is legitimate: the simulated brokers rejected a record. */
    boolean excuses(Throwable failure) {
        boolean refused = outputs.takeRefused() && failure instanceof ProduceException;
        if (refused) {
            history.world("the pipeline fails: " + failure.getMessage());
        }
        return refused;
    }

    VirtualClock clock() {
        return clock;
    }

    // ---- For the client --------------------------------------------------------------------------------------------

    Draw draw() {
        return draw;
    }

    History history() {
        return history;
    }

    Group group() {
        return group;
    }

    Stream<PartitionLog> logs() {
        return logs.values().stream();
    }

    PartitionLog log(TopicPartition id) {
        return Objects.requireNonNull(logs.get(id), () -> "no such partition in this simulation: " + id);
    }

    int starts() {
        return starts;
    }

    int nextCommit() {
        return commits++;
    }

    /** Returns whether the simulation is in its last phase, in which nothing fails any more. */
    boolean isCalm() {
        return calm;
    }

    boolean isGone() {
        return process().gone;
    }

    boolean isStopping() {
        return process().stopping;
    }

    private SimulatedProcess process() {
        return Objects.requireNonNull(process, "no process was started");
    }

    boolean awaitRunning(Duration limit) {
        return process().awaitRunning(limit);
    }

    /** Lets the pipeline do everything that it can do now. */
    void settle() {
        SimulatedProcess current = process();
        gate.open();
        if (!current.probe().awaitRest(REST_LIMIT)) {
            ledger.violate("the pipeline does not come to rest: it has been busy for " + REST_LIMIT.toSeconds()
                    + " s of real time, without kafka.work()");
        }
        endIfViolated(current);
    }

    private void endIfViolated(SimulatedProcess current) {
        if (ledger.violation() != null) {
            throw current.end("violated");
        }
    }

    /** Advances the time until something happens, but at most to {@code untilNanos}. */
    void move(long untilNanos) {
        long next = Math.min(untilNanos, Math.min(nextDueNanos(), clock.nextDeadlineNanos()));
        if (next > clock.nanoTime()) {
            clock.advance(Duration.ofNanos(next - clock.nanoTime()));
        }
        if (outputs.nextDueNanos() < ledger.nextDueNanos()) {
            outputs.answerNext();
        } else {
            ledger.finishNext();
        }
        rested = false;
    }

    private long nextDueNanos() {
        return Math.min(ledger.nextDueNanos(), outputs.nextDueNanos());
    }

    /**
     * Returns the time of the next planned event; {@link Long#MAX_VALUE} if there is none or the process is stopping.
     */
    long nextEventNanos() {
        return isStopping() ? Long.MAX_VALUE : plan.nextNanos();
    }

    /** Executes the events that are due. */
    void befall() {
        SimulatedProcess current = process();
        if (!current.joined) {
            current.joined = true;
            if (calm) {
                group.takeAll();
            } else {
                group.rebalance(-starts);
            }
        }
        while (!current.stopping && plan.nextNanos() <= clock.nanoTime()) {
            befall(plan.take(), current);
        }
        if (calm && !current.stopping) {
            stopIfThrough(current);
        }
    }

    private void befall(Event event, SimulatedProcess current) {
        rested = false;
        switch (event.kind()) {
            case GROW -> logs().forEach(log -> log.grow(draw.below(12, Of.PLAN, 8, event.number(), log.number)));
            case OTHERS_WORK -> group.othersWork(event.number());
            case REBALANCE -> group.rebalance(event.number());
            case LOSE -> group.lose();
            case CRASH -> {
                history.world("the process crashes");
                ledger.crashed(true);
                outputs.crashed();
                throw current.end("crashed");
            }
            case REDEPLOY -> {
                history.world("the process is asked to stop");
                current.stop();
            }
            case PAUSE -> {
                history.world("the user pauses the consumer");
                current.handles().forEach(ConsumerHandle::pause);
            }
            case RESUME -> {
                history.world("the user resumes the consumer");
                current.handles().forEach(ConsumerHandle::resume);
            }
            case CALM_DOWN -> {
                history.world("nothing fails any more");
                current.handles().forEach(ConsumerHandle::resume);
                calm = true;
                calmSinceNanos = clock.nanoTime();
                ledger.calmDown();
                group.takeAll();
            }
        }
    }

    private void stopIfThrough(SimulatedProcess current) {
        scenario.topics().keySet().stream().filter(topic -> !isRead(topic)).forEach(topic -> {
            ledger.violate("no partition of topic " + topic + " is assigned to the pipeline: correct its subscription,"
                    + " or remove the topic from the simulation");
            endIfViolated(current);
        });
        PartitionLog behind =
                logs().filter(log -> log.owned && isBehind(log)).findFirst().orElse(null);
        if (behind == null) {
            String disorder = outputs.disorder();
            if (disorder != null) {
                ledger.violate(disorder);
                endIfViolated(current);
            }
            through = true;
            history.world("all is committed: the process is asked to stop");
            current.stop();
        } else if (clock.nanoTime() - calmSinceNanos > CALM_NANOS) {
            long committed = Math.max(0, behind.committed());
            String undone = ledger.undone(behind, committed);
            ledger.violate(behind.id + " is committed up to " + committed + " of " + behind.end()
                    + " though nothing has failed for ten minutes: "
                    + (undone == null ? "what is there is done, but was not acknowledged" : undone));
            endIfViolated(current);
        }
    }

    private boolean isRead(String topic) {
        return logs().anyMatch(log -> log.owned && log.id.topic().equals(topic));
    }

    /**
     * Returns whether the group's committed offset must still advance. It must reach the offset after the last record
     * with at-most-once delivery, and the end of the log with at-least-once delivery.
     */
    private boolean isBehind(PartitionLog log) {
        long committed = Math.max(0, log.committed());
        return committed < (scenario.isAtMostOnce() ? log.endOfRecords() : log.end());
    }

    /**
     * Processes a commit of this member that has reached the group. Sorts the partitions, because the order of the map
     * may differ from JVM to JVM.
     */
    void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.entrySet().stream()
                .sorted(Comparator.comparingInt(each -> log(each.getKey()).number))
                .forEach(each -> commit(each.getKey(), each.getValue()));
    }

    void commit(TopicPartition id, OffsetAndMetadata offset) {
        PartitionLog log = log(id);
        if (!log.owned) {
            ledger.violate("committed " + id + "@" + offset.offset() + ", which this member does not have");
        } else if (offset.offset() < log.committed() || offset.offset() > log.end()) {
            ledger.violate("committed " + id + "@" + offset.offset() + " after " + log.committed() + ", of " + log.end()
                    + " records");
        }
        for (long at = Math.max(0, log.committed()); at < offset.offset() && !scenario.isAtMostOnce(); at++) {
            String undone = ledger.undone(log, at);
            if (undone != null) {
                ledger.violate("committed " + id + "@" + offset.offset() + ", but " + undone);
                break;
            }
        }
        history.world("committed    " + id + "@" + offset.offset());
        log.commit(offset);
    }

    /** Makes another member handle and commit the records from {@code from} (inclusive) to {@code to} (exclusive). */
    void commitElsewhere(PartitionLog log, long from, long to) {
        history.world("elsewhere    " + log.id + "@" + from + " to " + (to - 1) + " done and committed");
        for (long at = from; at < to; at++) {
            ledger.doneElsewhere(log.id, at, log.assignment);
            outputs.writtenElsewhere(log, at);
        }
        log.doneElsewhereSince = true;
        log.commit(new OffsetAndMetadata(to));
    }

    /** Reports that the client was closed. After a crash, the pipeline has then failed. */
    void closed() {
        group.leave();
        ledger.discardIfCrashed();
    }

    /** Reports that partitions of this member were revoked. */
    void released() {
        process().client().refuseCommits();
    }

    // ---- Surroundings ----------------------------------------------------------------------------------------------

    @Override
    public Consumer<byte[], byte[]> client(Map<String, Object> config) {
        Object maxPollRecords =
                config.getOrDefault(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS);
        return process().connect(new SimulatedClient(this, Long.parseLong(String.valueOf(maxPollRecords))));
    }

    @Override
    public <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        ledger.doneWhenWritten();
        return new SimulatedProducer<>(outputs, keys, values);
    }

    @Override
    public Lookup lookup(Map<String, Object> config) {
        return new SimulatedLookup(logs);
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public void logged(String line) {
        history.pipeline("logged       " + line);
    }

    @Override
    public void park(long nanos) {
        if (isGone()) {
            clock.advance(Duration.ofNanos(nanos));
            return;
        }
        // The consumer may have woken the pipeline. It must come to rest first.
        settle();
        if (!rested) {
            rested = true;
            return;
        }
        if (nextDueNanos() == Long.MAX_VALUE) {
            // A rebalance listener runs on its own thread and unparks this thread when it is done.
            long start = System.nanoTime();
            LockSupport.parkNanos(this, FOREIGN_NANOS);
            if (System.nanoTime() - start < FOREIGN_NANOS) {
                return;
            }
        }
        move(clock.nanoTime() + nanos);
        settle();
        rested = true;
    }

    @Override
    public <T> Stage<T> pulled(Stage<T> stage, Clock ofPipeline) {
        return gate.before(stage, ofPipeline, this::check);
    }

    /** Checks that a batch is in order, complete, and from this member's partitions. Called by pipeline threads. */
    void check(Batch<?> batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (batch.get(i) instanceof ConsumerRecord<?, ?> record) {
                check(record);
            }
        }
    }

    private void check(ConsumerRecord<?, ?> record) {
        PartitionLog log = log(new TopicPartition(record.topic(), record.partition()));
        String what = log.id + "@" + record.offset();
        if (!log.owned || record.leaderEpoch().orElse(0) != log.assignment) {
            ledger.violate(what + " is emitted after it was taken away");
        } else if (record.offset() < log.nextToPull) {
            ledger.violate(what + " is emitted again, or after " + (log.nextToPull - 1));
        }
        for (long at = log.nextToPull; at < record.offset() && !log.hasHoles; at++) {
            if (log.at(at) != null) {
                ledger.violate(what + " is emitted, but " + at + " before it is left out");
            }
        }
        if (scenario.isAtMostOnce() && record.offset() >= log.committed()) {
            ledger.violate(what + " is emitted before a commit past it is confirmed");
        }
        log.nextToPull = record.offset() + 1;
    }
}
