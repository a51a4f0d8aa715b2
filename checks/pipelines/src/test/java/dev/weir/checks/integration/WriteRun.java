package dev.weir.checks.integration;

import static dev.weir.checks.integration.WriteCase.COUNT;
import static dev.weir.checks.integration.WriteCase.FAULT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.Sender;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaClusterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/** Runs a case of {@link WriteMatrixTest} to its end. Confined to one thread. */
final class WriteRun {

    private static final Duration SOON = Duration.ofSeconds(60);

    /** The result of a case, as reported by the brokers and the run. */
    record Ended(
            WriteCase of,
            List<Long> written,
            List<Long> cut,
            long finished,
            @Nullable Throwable failure) {}

    private final WriteCase of;
    private final WriteOutcome expected;

    private WriteRun(WriteCase of, WriteOutcome expected) {
        this.of = of;
        this.expected = expected;
    }

    static Ended of(WriteCase of, WriteOutcome expected) throws Exception {
        if (of.way() != WriteWay.SENDER && of.event() != WriteEvent.NEIGHBOUR_REFUSED) {
            return new WriteRun(of, expected).run();
        }
        try (Sender<byte[], byte[]> sender = Sender.open(of.producer())) {
            return new WriteRun(of.sharing(sender), expected).run();
        }
    }

    private Ended run() throws Exception {
        createTopics();
        boolean isMidway = !of.event().isOfOneRecord()
                && of.event() != WriteEvent.TOO_LARGE_FOR_BATCH
                && of.event() != WriteEvent.DRAINED;
        of.produce(0, isMidway ? FAULT : COUNT);
        Throwable failure = failure(isMidway);
        List<ConsumerRecord<byte[], byte[]>> read = isGone() ? List.of() : of.read(of.out());
        List<Long> written = read.stream().map(WriteCase::number).distinct().toList();
        boolean keepsOrder =
                of.way().compareTo(WriteWay.EXACTLY_ONCE) <= 0 && of.event() != WriteEvent.NEIGHBOUR_REFUSED;
        return new Ended(
                of,
                keepsOrder ? written : written.stream().sorted().toList(),
                read.stream()
                        .filter(record -> record.headers().lastHeader(DeadLetterHeaders.CUT) != null)
                        .map(WriteCase::number)
                        .toList(),
                of.finished(),
                failure);
    }

    private @Nullable Throwable failure(boolean isMidway) throws Exception {
        RunningPipeline running;
        try {
            running = of.way().pipeline(of).run();
        } catch (KafkaPipelineException refused) {
            return refused;
        }
        try {
            if (isMidway) {
                await(
                        running,
                        () -> of.finished() >= FAULT && of.written(of.out()).size() >= FAULT);
                if (of.event() == WriteEvent.NEIGHBOUR_REFUSED) {
                    of.produce(FAULT, COUNT);
                    awaitUnderWay(running);
                    sendNeighbour();
                } else {
                    happen();
                    of.produce(FAULT, COUNT);
                    after(running);
                }
            }
            if (expected == WriteOutcome.WAITS || isDeletedForSender()) {
                awaitHeld(running);
                repair();
            }
            if (of.event() == WriteEvent.DRAINED) {
                await(running, () -> of.seen().size() == COUNT);
            } else if (of.event() != WriteEvent.CANCELLED) {
                boolean isEndedByItself = expected == WriteOutcome.ENDS || expected == WriteOutcome.FAILS;
                await(running, () -> !isEndedByItself && of.finished() >= COUNT);
            }
            return end(running);
        } finally {
            running.cancel();
        }
    }

    /** Returns whether single sends go to a deleted topic. Some records then wait in the client, and others fail. */
    private boolean isDeletedForSender() {
        return of.event() == WriteEvent.TOPIC_DELETED && of.way() == WriteWay.SENDER;
    }

    private void createTopics() throws Exception {
        of.cluster().createTopic(of.name(), 1, Map.of("max.message.bytes", "1000000"));
        if (of.way() == WriteWay.RETRY_TOPIC) {
            of.cluster().createTopic(of.name() + "-last", 1);
        }
        if (of.event() != WriteEvent.TOPIC_MISSING || !of.way().isForwarding()) {
            of.cluster().createTopic(of.out(), 1, of.topicConfig());
        }
        if (of.event() == WriteEvent.TOPIC_FORBIDDEN) {
            if (!of.way().isForwarding()) {
                of.cluster().createTopic(of.topicAtFault(), 1);
            }
            allow(AclOperation.ALL, AclPermissionType.ALLOW);
            allow(AclOperation.WRITE, AclPermissionType.DENY);
        }
    }

    private AclBinding acl(AclOperation operation, AclPermissionType permission) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, of.topicAtFault(), PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", operation, permission));
    }

    private void allow(AclOperation operation, AclPermissionType permission) throws Exception {
        done(of.cluster()
                .admin()
                .createAcls(List.of(acl(operation, permission)))
                .all());
    }

    private static void done(KafkaFuture<?> answer) throws InterruptedException, ExecutionException {
        var ignored = answer.get();
    }

    private void await(RunningPipeline running, BooleanSupplier condition) {
        ConsumerLedger.await(
                () -> of + ": finished=" + of.finished() + " seen=" + of.seen().size(),
                SOON,
                () -> running.completion().isDone() || condition.getAsBoolean());
    }

    private void happen() throws Exception {
        switch (of.event()) {
            case TOPIC_DELETED -> of.cluster().deleteTopic(of.out());
            case TOPIC_RECREATED -> {
                of.cluster().deleteTopic(of.out());
                of.cluster().createTopic(of.out(), 1);
            }
            case TIMEOUT, CANCELLED -> Objects.requireNonNull(of.network()).halfOpen();
            case BROKER_LOST -> Objects.requireNonNull(of.network()).cut();
            case FENCED ->
                done(of.cluster().admin().fenceProducers(transactionalIds()).all());
            case CLIENT_DEAD -> WriteCase.DeadlyInterceptor.ARMED.set(true);
            default -> throw new IllegalStateException(of.event() + " happens by itself");
        }
    }

    private List<String> transactionalIds() throws Exception {
        List<String> ids = new ArrayList<>();
        for (TransactionListing each :
                of.cluster().admin().listTransactions().all().get()) {
            if (each.transactionalId().equals(of.name())
                    || each.transactionalId().startsWith(of.name() + "-weir-")) {
                ids.add(each.transactionalId());
            }
        }
        assertThat(ids).isNotEmpty();
        return ids;
    }

    /** Sends a record that the brokers refuse, while other records linger in the same producer. */
    private void sendNeighbour() throws InterruptedException {
        ProducerRecord<byte[], byte[]> refused = new ProducerRecord<>(of.out(), new byte[1]);
        try (RunningPipeline other = Source.of(refused)
                .to(KafkaSink.with(Objects.requireNonNull(of.shared())).records())
                .run()) {
            other.completion().exceptionally(failure -> null).join();
            assertThat(other.completion()).isCompletedExceptionally();
        }
    }

    private void after(RunningPipeline running) throws InterruptedException {
        switch (of.event()) {
            case TIMEOUT -> {
                awaitUnderWay(running);
                ConsumerLedger.work(Duration.ofSeconds(3));
                Objects.requireNonNull(of.network()).restore();
            }
            case BROKER_LOST -> {
                awaitUnderWay(running);
                Objects.requireNonNull(of.network()).restore();
            }
            default -> {}
        }
    }

    /**
     * Waits until the pipeline has seen the record at fault. Does not wait for a parked copy, which is written earlier.
     */
    private void awaitUnderWay(RunningPipeline running) {
        if (of.way() != WriteWay.PARKED_COPY) {
            await(running, () -> of.seen().size() > FAULT);
        }
    }

    private void awaitHeld(RunningPipeline running) {
        if (of.event() == WriteEvent.TOPIC_DELETED) {
            awaitUnderWay(running); // the client waits by itself
        } else if (of.way() != WriteWay.PARKED_COPY) {
            await(
                    running,
                    () -> running.handles(DeadLetterHandle.class).getFirst().held() > 0);
        } else if (!of.event().hasOwnTopic()) {
            // Copies do not wait for each other, so all others are written.
            await(running, () -> of.written(of.out()).size() == COUNT - 1);
        }
    }

    /** Removes the cause of the refusal. */
    private void repair() throws Exception {
        switch (of.event()) {
            case RECORD_REFUSED -> {
                ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, of.out());
                ConfigEntry policy = new ConfigEntry("cleanup.policy", "delete");
                done(of.cluster()
                        .admin()
                        .incrementalAlterConfigs(
                                Map.of(topic, List.of(new AlterConfigOp(policy, AlterConfigOp.OpType.SET))))
                        .all());
            }
            case TOPIC_FORBIDDEN ->
                done(of.cluster()
                        .admin()
                        .deleteAcls(List.of(
                                acl(AclOperation.WRITE, AclPermissionType.DENY).toFilter()))
                        .all());
            case TOPIC_DELETED -> of.cluster().createTopic(of.out(), 1);
            case UNSERIALISABLE -> of.isSerialisable().set(true);
            default -> throw new IllegalStateException(of.event() + " cannot be repaired");
        }
    }

    private boolean isGone() {
        try {
            of.cluster().endOffsets(of.out());
            return false;
        } catch (KafkaClusterException gone) {
            return true;
        }
    }

    private @Nullable Throwable end(RunningPipeline running) throws InterruptedException {
        if (of.event() == WriteEvent.CANCELLED) {
            awaitUnderWay(running);
            running.cancel();
            Throwable ignored = failureOf(running);
            Objects.requireNonNull(of.network()).restore();
            return ignored;
        }
        DrainReport report = running.drain(Duration.ofSeconds(30));
        Throwable failure = failureOf(running);
        assertThat(report.drained() || failure != null).as("drained: " + report).isTrue();
        return failure;
    }

    private static @Nullable Throwable failureOf(RunningPipeline running) throws InterruptedException {
        try {
            var ignored = running.completion().get();
            return null;
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (java.util.concurrent.CancellationException cancelled) {
            return cancelled;
        }
    }
}
