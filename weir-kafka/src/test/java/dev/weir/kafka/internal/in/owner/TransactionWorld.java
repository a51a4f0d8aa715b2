package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.ClientLimits;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import dev.weir.kafka.internal.in.owner.TransactionCluster.Input;
import dev.weir.kafka.internal.in.owner.TransactionCluster.Out;
import dev.weir.kafka.internal.out.transaction.JointAcknowledgement;
import dev.weir.kafka.internal.out.transaction.SimulatedSink;
import dev.weir.kafka.internal.out.transaction.TransactionPlan;
import dev.weir.kafka.internal.out.transaction.Turns;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a cluster, a group, operators and time around the real parts of an exactly-once flow: consumer loop,
 * transactions, committing thread and sink. One seed determines everything. After each commit, {@link
 * TransactionCluster} checks the visible outputs.
 */
final class TransactionWorld implements OwnerClock {

    /** Ends the process. The cluster no longer sees what it does. */
    @SuppressWarnings("serial") // never serialised
    private static final class Crash extends Error {}

    /** Steps without faults after which a simulation counts as stuck. */
    private static final int MAX_CALM_STEPS = 30_000;

    private static final int MAX_PROCESSES = 40;

    /** Space for a topic id and one or two gaps in the finished set. */
    private static final int LEAST_CHARS = 52;

    /** A record in the operators, with the number of its outputs already given to the sink. */
    private static final class Taken {
        final Batch<?> batch;
        final int index;
        final Input input;
        final long offset;
        final int outputs;
        boolean begun;
        int given;

        /** Number of unfinished branches: the operators before the sink, and sometimes another one. */
        int workers = 1;

        Taken(Batch<?> batch, int index, Input input, long offset, int outputs) {
            this.batch = batch;
            this.index = index;
            this.input = input;
            this.offset = offset;
            this.outputs = outputs;
        }
    }

    final Random random;
    final TransactionCluster cluster;
    private final TransactionClient client;
    private final ConsumerSettings<byte[], byte[]> settings;
    private final boolean inOrder;

    /** True if some elements are grouped. Each output of a group has pending acknowledgements for all its inputs. */
    private final boolean groups;

    /** Random generator for choices that must not change the sequence of {@link #random}. */
    private final Random more;

    /** True if each process reads only to the partitions' ends at its start. */
    private final boolean bounded;

    private final boolean refuses;

    /** True if commits may lack space for the finished records past the first unfinished one. */
    private final boolean isTight;

    private final Duration interval;
    private final int commitRecords;
    private final long commitBytes;

    private long nowNanos = 1_000_000_000_000L;
    private int stepsLeft;
    private int calmSteps;
    private boolean calm;
    private boolean through;

    // State of the current process.
    private String run = "";
    private SimulatedContext context = new SimulatedContext();
    private RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final List<Taken> inFlight = new ArrayList<>();

    /** Elements in another branch of the pipeline. */
    private final List<Taken> elsewhere = new ArrayList<>();

    private final List<TransactionProducer> producers = new ArrayList<>();

    /** Outputs by their value array. Copies of a record share that array. */
    private final IdentityHashMap<byte[], Out> outs = new IdentityHashMap<>();

    /** Broker responses in flight. */
    private final Queue<Runnable> lookups = new ArrayDeque<>();

    private Map<TopicPartition, Long> ends = Map.of();
    private @Nullable SimulatedSink sink;
    private @Nullable ConsumerLoop loop;
    private boolean begunCalmly;
    private boolean crashed;
    private boolean stopped;
    private boolean sourceEnded;
    private boolean cancelled;
    private boolean closeRequested;

    private boolean doubts;

    /** State transitions of all transactions so far. */
    private final Set<String> transitions = new HashSet<>();

    TransactionWorld(long seed, Set<TransactionFault> faults) {
        random = new Random(seed);
        more = new Random(~seed);
        groups = more.nextInt(4) == 0;
        bounded = random.nextInt(3) == 0;
        refuses = random.nextInt(3) == 0;
        cluster = new TransactionCluster(seed, refuses, faults);
        int partitions = 1 + random.nextInt(4);
        for (int i = 0; i < partitions; i++) {
            Input input = new Input(new TopicPartition("t", i));
            input.grow(random, random.nextInt(50));
            cluster.inputs.put(input.id, input);
        }
        inOrder = random.nextBoolean();
        interval = Duration.ofMillis(1 + random.nextInt(500));
        commitRecords = 1 + random.nextInt(60);
        commitBytes = 1L + random.nextInt(200);
        stepsLeft = 50 + random.nextInt(400);
        client = new TransactionClient(this);
        isTight = random.nextInt(3) == 0;
        settings = ConsumerSettings.builder()
                .bootstrapServers("simulated:1")
                .groupId("g")
                .maxOutstandingRecords(1 + random.nextInt(60))
                .revokeDeadline(Duration.ofMillis(random.nextInt(3_000)))
                .property("auto.offset.reset", "earliest")
                .commitMetadataChars(isTight ? LEAST_CHARS + random.nextInt(40) : 4_096)
                .build();
    }

    private ConsumerLoop loop() {
        return Objects.requireNonNull(loop);
    }

    private SimulatedSink sink() {
        return Objects.requireNonNull(sink);
    }

    Set<String> transitions() {
        return transitions;
    }

    boolean isCalm() {
        return calm;
    }

    boolean isCrashed() {
        return crashed;
    }

    /** Notes that the process cannot know whether a commit succeeded. */
    void doubt() {
        doubts = true;
    }

    boolean isMember(ConsumerGroupMetadata member) {
        return client.isMember(member);
    }

    private static void require(boolean holds, String otherwise, @Nullable Throwable cause) {
        if (!holds) {
            throw new AssertionError(otherwise, cause);
        }
    }

    // ---- From the first process to the last ------------------------------------------------------------------------

    void run() {
        for (int processes = 0; !through; processes++) {
            require(processes < MAX_PROCESSES, "the run has failed over and over", context.failure);
            runProcess();
        }
        require(cluster.areAllCommitted(), "ended, and not all is committed: " + cluster.inputs.values(), null);
        if (inOrder) {
            cluster.requireOrder();
        }
    }

    private void runProcess() {
        begin();
        try {
            loop().run();
            cluster.throwViolation();
            Throwable failure = context.failure;
            if (crashed) {
                require(failure instanceof Crash, "did not die of the crash", failure);
                if (more.nextBoolean()) {
                    // Only the owner's thread has died. The sink continues for a moment before the run closes.
                    while (more.nextInt(5) != 0) {
                        stepSegment();
                        sink().stepCommitter();
                    }
                    sink().close();
                }
                return;
            }
            require(isLegitimate(failure), "the run has failed", failure);
            String leftUndone = loop().close(Duration.ZERO);
            if (bounded && sourceEnded && !stopped && failure == null) {
                // Records of a partition revoked at the end may be finished but not committed.
                boolean isBack = leftUndone.startsWith("withdrawn at the end of the read");
                require(doubts || isTight || isBack || leftUndone.isEmpty(), "left undone: " + leftUndone, null);
                if (leftUndone.isEmpty()) {
                    requireRead();
                    through = begunCalmly;
                }
            }
            while (more.nextBoolean()) {
                producers.forEach(TransactionProducer::answerSome);
                sink().stepCommitter();
            }
            sink().close();
            cluster.throwViolation();
            throwIfBroken(context.failure);
        } finally {
            producers.forEach(TransactionProducer::die);
            sink().kill();
            transitions.addAll(sink().transitions());
        }
    }

    /** Requires that a bounded read which ended by itself has committed all inputs of its partitions. */
    private void requireRead() {
        cluster.inputs.values().stream()
                .filter(input -> input.ours && input.owned && input.placed)
                .forEach(input -> require(
                        TransactionCluster.isCommitted(input, Objects.requireNonNull(ends.get(input.id))),
                        "ended, and not done up to " + ends.get(input.id) + ": " + input,
                        null));
    }

    /**
     * Returns whether the run's outcome is allowed: no failure, a cancellation, or a Kafka exception in a run that
     * started with faults.
     */
    private boolean isLegitimate(@Nullable Throwable failure) {
        return failure == null
                || (!begunCalmly && failure instanceof KafkaPipelineException)
                || failure instanceof Cancelled;
    }

    private static final class Cancelled extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static void throwIfBroken(@Nullable Throwable failure) {
        if (failure instanceof AssertionError broken) {
            throw broken;
        }
    }

    private void begin() {
        client.restart();
        cluster.note("a process begins");
        run = String.format("%016x", random.nextLong());
        context = new SimulatedContext();
        buffer = new RecordBuffer(Clock.SYSTEM);
        inFlight.clear();
        elsewhere.clear();
        lookups.clear();
        producers.clear();
        outs.clear();
        ends = new HashMap<>();
        cluster.inputs.values().forEach(input -> ends.put(input.id, (long) input.end));
        begunCalmly = calm;
        crashed = false;
        stopped = false;
        sourceEnded = false;
        cancelled = false;
        closeRequested = false;
        doubts = false;
        Turns turns = new Turns(this::nanoTime, this::whileTheOwnerWaits);
        TransactionPlan plan = new TransactionPlan(
                "g", run, interval.toNanos(), commitRecords, commitBytes, TransactionCluster.TIMEOUT_NANOS);
        sink = new SimulatedSink(
                turns,
                context,
                plan,
                bounded,
                refuses,
                id -> {
                    TransactionProducer made = new TransactionProducer(this, turns, id);
                    producers.add(made);
                    return made;
                },
                this::fence,
                () -> producers.forEach(TransactionProducer::answerSome));
        loop = new ConsumerLoop(
                client,
                new ClientFetcher(client),
                settings,
                new ClientLimits(client.maxPollRecords(), Duration.ofMinutes(5), Duration.ofSeconds(30)),
                new ConsumerPlan(
                        bounded ? Subscription.topics("t").untilEnd() : Subscription.topics("t"),
                        bounded ? ends : Map.of(),
                        new Delivery.Committable(),
                        null,
                        Set.of()),
                context::fail,
                RecordOutlets.single(buffer),
                new Answers(),
                this,
                (offsets, nanos) -> false,
                sink.gate());
    }

    /** Aborts open transactions of dead runs. While faults last, the run may not find them in time. */
    private void fence() {
        if (calm || random.nextBoolean()) {
            cluster.openOfOthers(run).forEach(cluster::fence);
        }
    }

    // ---- What happens ----------------------------------------------------------------------------------------------

    /** Causes a random event of a poll. */
    void befall() {
        if (stepsLeft <= 0 && !calm && !closeRequested && !stopped) {
            calm = true;
        }
        if (calm) {
            if (client.isExpelled() || cluster.inputs.values().stream().anyMatch(input -> !input.owned)) {
                client.rebalance(true);
            }
            return;
        }
        if (client.isExpelled() ? random.nextInt(3) == 0 : random.nextInt(25) == 0) {
            client.rebalance(false);
        }
        if (closeRequested || stopped || cancelled) {
            return;
        }
        switch (random.nextInt(250)) {
            case 0, 1 -> {
                crashed = true;
                cluster.note("crash");
                if (more.nextInt(4) == 0) {
                    // In some crashes, the run closes the producers before the owner's thread ends.
                    sink().close();
                }
                throw new Crash();
            }
            case 2, 3 -> {
                stopped = true;
                cluster.note("stop");
                loop().stop();
            }
            case 4 -> context.fail(new Cancelled());
            // Somebody else takes over the transactional ids, such as an administrator who believes that this run is
            // dead.
            case 7 -> cluster.openOf(run).forEach(cluster::fence);
            case 5, 6 -> {
                client.expel();
                if (random.nextBoolean()) {
                    // The next member to get the partitions aborts the open transactions.
                    cluster.openOf(run).forEach(cluster::fence);
                }
            }
            default -> {
                // Usually, nothing happens.
            }
        }
    }

    void act() {
        if (calm) {
            // With little space, a transaction waits until a commit can list its finished records.
            calmSteps++;
            if (calmSteps >= (isTight ? 5 : 1) * MAX_CALM_STEPS) {
                throw new AssertionError("never comes to its end: " + cluster.inputs.values());
            }
            if (!bounded && !stopped && inFlight.isEmpty() && cluster.isThrough()) {
                stopped = true;
                through = true;
                loop().stop();
            }
        } else {
            stepsLeft--;
        }
        cancelIfFailed();
        if (!lookups.isEmpty() && random.nextInt(10) == 0) {
            lookups.remove().run();
        }
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> take();
            case 3, 4, 5, 6 -> finishSome();
            case 7, 8, 9, 10 -> stepSegment();
            case 11, 12, 13, 14 -> sink().stepCommitter();
            case 15, 16 -> producers.forEach(TransactionProducer::answerSome);
            case 17 -> {
                seekSometimes();
                if (!calm) {
                    cluster.inputs.values().forEach(input -> input.grow(random, random.nextInt(4)));
                }
            }
            case 18 -> {
                cluster.expire(nowNanos);
                if (!calm) {
                    cluster.inputs.values().stream()
                            .filter(input -> random.nextBoolean())
                            .forEach(input -> cluster.workElsewhere(input, random));
                }
            }
            default -> passAtMost(TimeUnit.MILLISECONDS.toNanos(20));
        }
        requestCloseIfThrough();
    }

    /** A user seeks forward. Seeking backward would make records visible twice. */
    private void seekSometimes() {
        if (calm || random.nextInt(15) != 0) {
            return;
        }
        List<Input> all = List.copyOf(cluster.inputs.values());
        Input input = all.get(random.nextInt(all.size()));
        if (input.owned && input.placed && !input.held) {
            cluster.note("a user goes on with %s", input.id);
            var ignored = loop().control().seek(Map.of(input.id, Position.end()));
        }
    }

    /** Advances the simulation while the owner waits. */
    private void whileTheOwnerWaits(long deadlineNanos) {
        if (crashed) {
            pass(TimeUnit.SECONDS.toNanos(1));
            return;
        }
        act();
        if (random.nextInt(4) == 0 && deadlineNanos != Stage.NEVER) {
            passAtMost(Math.max(1, deadlineNanos - nowNanos));
        }
    }

    /** Producers with an open transaction continue while committed offsets are requested. */
    void serveWhileWaiting() {
        for (int i = 0; i < 3; i++) {
            sink().stepCommitter();
            producers.forEach(TransactionProducer::answerSome);
        }
        cluster.expire(nowNanos);
    }

    private void cancelIfFailed() {
        Throwable failure = context.failure;
        throwIfBroken(failure);
        if (failure != null && !cancelled && !crashed) {
            cancelled = true;
            cluster.note("the pipeline fails: %s", failure);
            inFlight.forEach(taken -> {
                for (int left = Math.max(1, taken.outputs) - taken.given; left > 0; left--) {
                    taken.batch.target(taken.index).abandon(taken.batch.token(taken.index));
                    if (!taken.begun) {
                        break;
                    }
                }
            });
            inFlight.clear();
            elsewhere.forEach(taken -> taken.batch.target(taken.index).abandon(taken.batch.token(taken.index)));
            elsewhere.clear();
            sink().cancel();
            requestClose(Duration.ofSeconds(random.nextInt(2)));
        }
    }

    private void requestCloseIfThrough() {
        if (sourceEnded && inFlight.isEmpty() && !cancelled) {
            sink().endInput();
            if (sink().isThrough()) {
                requestClose(Duration.ofSeconds(30));
            }
        }
    }

    private void requestClose(Duration patience) {
        if (!closeRequested) {
            cluster.note("close");
            closeRequested = true;
            loop().requestClose(patience);
        }
    }

    private void stepSegment() {
        sink().stepSegment();
        Throwable failure = sink().failure();
        if (failure != null && !cancelled && context.failure == null) {
            context.fail(failure);
        }
    }

    // ---- The operators ---------------------------------------------------------------------------------------------

    private void take() {
        if (sourceEnded || cancelled || sink().isIntakeHeld()) {
            return;
        }
        Batch<Fetched> taken;
        try {
            taken = buffer.take(System.nanoTime() - 1, context.meter());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (taken == null) {
            sourceEnded = true;
            return;
        }
        Batch<ConsumerRecord<byte[], byte[]>> batch = Fetched.unwrap(taken);
        AckTarget last = AckTarget.NONE;
        for (int i = 0; i < batch.size(); i++) {
            if (batch.target(i) != last) {
                last = batch.target(i);
                sink().emits(last);
            }
            ConsumerRecord<byte[], byte[]> record = batch.get(i);
            Input input = cluster.input(new TopicPartition(record.topic(), record.partition()));
            inFlight.add(new Taken(batch, i, input, record.offset(), cluster.outputsOf(input, record.offset())));
        }
    }

    private void finishSome() {
        for (int n = random.nextInt(20); n > 0 && !inFlight.isEmpty() && !sink().isFull(); n--) {
            Taken taken = inOrder ? firstOfSome() : inFlight.get(random.nextInt(inFlight.size()));
            if (!taken.begun) {
                if (taken.batch.dropIfRevoked(taken.index)) {
                    cluster.note("dropped %s@%d", taken.input.id, taken.offset);
                    inFlight.remove(taken);
                    continue;
                }
                Taken other = groups && more.nextInt(4) == 0 ? another(taken) : null;
                if (other != null) {
                    group(taken, other);
                    doubts = true; // if the group loses an input at the end, the next run processes it
                    continue;
                }
                begin(taken);
            }
            step(taken);
        }
    }

    /** Returns another element to group with this one, or null. */
    private @Nullable Taken another(Taken taken) {
        List<Taken> firsts = inFlight.stream()
                .filter(each -> !inOrder || isFirst(each))
                .filter(each -> each != taken && !each.begun && each.outputs > 0)
                .toList();
        if (taken.outputs == 0 || firsts.isEmpty()) {
            return null;
        }
        Taken other = firsts.get(more.nextInt(firsts.size()));
        if (other.batch.dropIfRevoked(other.index)) {
            cluster.note("dropped %s@%d", other.input.id, other.offset);
            inFlight.remove(other);
            return null;
        }
        return other;
    }

    private boolean isFirst(Taken taken) {
        return taken
                == inFlight.stream()
                        .filter(each -> each.input == taken.input)
                        .findFirst()
                        .orElseThrow();
    }

    /** Offers the outputs of two elements, with pending acknowledgements for both inputs. */
    private void group(Taken first, Taken second) {
        List<Taken> both = List.of(first, second);
        JointAcknowledgement joint = new JointAcknowledgement();
        both.forEach(taken -> joint.add(taken.batch.target(taken.index), taken.batch.token(taken.index)));
        joint.retain(0, first.outputs + second.outputs - 1);
        for (Taken taken : both) {
            cluster.note("in a group: %s@%d", taken.input.id, taken.offset);
            inFlight.remove(taken);
            workedOn(taken);
            for (int part = 0; part < taken.outputs; part++) {
                offer(new Out(taken.input, taken.offset, part), joint, 0);
            }
        }
    }

    private void offer(Out out, AckTarget target, long token) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(cluster.topicOf(out), new byte[] {(byte) out.part()});
        outs.put(record.value(), out);
        cluster.note("    done %s", out);
        sink().offer(record, target, token);
    }

    private void begin(Taken taken) {
        taken.begun = true;
        if (random.nextInt(8) == 0) {
            taken.workers++;
            elsewhere.add(taken);
        }
        int more = Math.max(1, taken.outputs) - 1 + taken.workers - 1;
        if (more > 0) {
            taken.batch.target(taken.index).retain(taken.batch.token(taken.index), more);
        }
    }

    private static void workedOn(Taken taken) {
        taken.workers--;
        if (taken.workers == 0) {
            taken.input.finished.set((int) taken.offset);
        }
    }

    private void finishElsewhere() {
        Taken taken = elsewhere.remove(random.nextInt(elsewhere.size()));
        workedOn(taken);
        taken.batch.ack(taken.index);
    }

    private void step(Taken taken) {
        if (taken.outputs == 0) {
            inFlight.remove(taken);
            workedOn(taken);
            taken.batch.ack(taken.index);
            return;
        }
        Out out = new Out(taken.input, taken.offset, taken.given++);
        if (taken.given == taken.outputs) {
            inFlight.remove(taken);
            workedOn(taken);
        }
        offer(out, taken.batch.target(taken.index), taken.batch.token(taken.index));
    }

    private Taken firstOfSome() {
        Set<Input> some = inFlight.stream().map(taken -> taken.input).collect(Collectors.toSet());
        Input drawn = some.stream()
                .sorted(Comparator.comparingInt(input -> input.id.partition()))
                .toList()
                .get(random.nextInt(some.size()));
        return inFlight.stream()
                .filter(taken -> taken.input == drawn)
                .findFirst()
                .orElseThrow();
    }

    Out outOf(ProducerRecord<byte[], byte[]> record) {
        return Objects.requireNonNull(outs.get(record.value()));
    }

    // ---- Time ------------------------------------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        // Other threads may run between any two steps of the calling thread.
        if (!elsewhere.isEmpty() && random.nextInt(20) == 0) {
            finishElsewhere();
        }
        return nowNanos;
    }

    void pass(long nanos) {
        nowNanos += nanos;
    }

    void passAtMost(long nanos) {
        nowNanos += Math.max(1, (long) (nanos * random.nextDouble()));
    }

    @Override
    public void park(long nanos) {
        if (crashed) {
            pass(nanos);
            return;
        }
        passAtMost(Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(100)));
        act();
    }

    /** Brokers that answer only the queries of this simulation. */
    private final class Answers extends SilentLookup {

        @Override
        public Map<TopicPartition, CompletionStage<Long>> offsets(
                Map<TopicPartition, Position> positions, Duration within) {
            Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
            positions.forEach((id, position) -> {
                CompletableFuture<Long> answer = new CompletableFuture<>();
                answers.put(id, answer);
                if (position.equals(Position.end())) {
                    lookups.add(() -> answer.complete(sought(cluster.input(id))));
                } else {
                    answer.complete(0L);
                }
            });
            return answers;
        }

        /** Returns the ends of the logs. */
        @Override
        public Map<TopicPartition, CompletionStage<Long>> highWatermarks(
                Collection<TopicPartition> ids, Duration within) {
            Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
            for (TopicPartition id : ids) {
                CompletableFuture<Long> answer = new CompletableFuture<>();
                answers.put(id, answer);
                lookups.add(() -> answer.complete((long) cluster.input(id).end));
            }
            return answers;
        }

        /** Chooses a random target for a user's seek. */
        private long sought(Input input) {
            int least = (int) Math.max(input.position, input.finishedTo());
            int sought = least + random.nextInt(Math.max(input.end - least, 0) + 1);
            input.soughtTo = Math.max(input.soughtTo, sought);
            return sought;
        }

        @Override
        public CompletionStage<Described> partitions(Selection selection) {
            Set<TopicPartition> known = new HashSet<>(cluster.inputs.keySet());
            if (!calm && random.nextBoolean()) {
                // Simulates a broker that has just started.
                known.removeIf(id -> random.nextInt(3) == 0);
                cluster.note("only %s are known", known);
                doubts = true;
            }
            CompletableFuture<Described> answer = new CompletableFuture<>();
            lookups.add(() -> answer.complete(new Described(known, Map.of())));
            return answer;
        }

        @Override
        public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
            return topics.stream()
                    .collect(Collectors.toMap(
                            topic -> topic, topic -> CompletableFuture.completedStage(new Uuid(1, 1))));
        }
    }
}
