package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.fetch.LeanConfig;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.lean.LeanException;
import dev.weir.lean.spi.MessageLinks;
import dev.weir.lean.spi.MessageNetwork;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Sends ordinary commits over a separate connection to the coordinator. Confined to the owner thread.
 *
 * <p>Kafka's client allocates many times as much memory for a commit, and processes the response only in its next poll.
 */
public final class CommitConnection implements AutoCloseable {

    private static final ConsumerLog LOG = ConsumerLog.of(CommitConnection.class);

    /** Time after a failure during which the connection is not used. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final org.apache.kafka.clients.consumer.Consumer<?, ?> client;
    private final Map<String, Object> config;
    private final long pauseNanos;
    private final CommitRequest request = new CommitRequest();

    private @Nullable MessageLinks wires;
    private MessageNetwork.@Nullable Channel coordinator;
    private MessageNetwork.@Nullable Channel bootstrap;
    private boolean asked;

    /** Callback for the commit in flight, or null. Receives the error, or null if the commit succeeded. */
    private @Nullable Consumer<@Nullable Exception> then;

    /** True if the brokers do not support these requests. The client then makes all commits. */
    private boolean unsupported;

    private long notBeforeNanos = System.nanoTime();

    /**
     * Creates an instance that connects on first use.
     *
     * @param config the client's configuration
     */
    public CommitConnection(org.apache.kafka.clients.consumer.Consumer<?, ?> client, Map<String, Object> config) {
        this(client, config, PAUSE_NANOS);
    }

    CommitConnection(
            org.apache.kafka.clients.consumer.Consumer<?, ?> client, Map<String, Object> config, long pauseNanos) {
        this.client = client;
        this.config = new HashMap<>(config);
        this.pauseNanos = pauseNanos;
    }

    boolean isUnderWay() {
        return then != null;
    }

    /**
     * Sends a commit. A later {@link #poll} receives the response. Returns false if the client must commit instead.
     *
     * @param whenAnswered receives the error, or null if the commit succeeded
     */
    boolean send(Map<TopicPartition, OffsetAndMetadata> offsets, Consumer<@Nullable Exception> whenAnswered) {
        ConsumerGroupMetadata member = client.groupMetadata();
        if (then != null
                || member.generationId() < 0
                || member.memberId().isEmpty()
                || System.nanoTime() - notBeforeNanos < 0) {
            return false;
        }
        if (unsupported) {
            return false;
        }
        try {
            MessageNetwork.Channel channel = connected(member.groupId());
            if (channel == null || !channel.canSend()) {
                return false;
            }
            then = whenAnswered;
            channel.send(request.of(member, offsets), DirectCommit.MEMBER_VERSION);
            return true;
        } catch (KafkaException | LeanException | IllegalArgumentException unable) {
            then = null;
            unsupported = !(unable instanceof RetriableException);
            giveUp(unable.toString());
            return false;
        }
    }

    void poll() {
        MessageLinks open = wires;
        if (open == null) {
            return;
        }
        try {
            int ignored = open.poll(System.nanoTime());
        } catch (KafkaException | LeanException unable) {
            giveUp(unable.toString());
        }
    }

    /** Waits at most {@code nanos} for the response to the commit in flight, then gives up. */
    void await(long nanos) {
        long deadlineNanos = System.nanoTime() + nanos;
        while (then != null) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                giveUp("no answer");
                return;
            }
            poll();
            if (then != null) {
                Objects.requireNonNull(wires).await(Math.min(left, WAIT_NANOS));
            }
        }
    }

    private MessageNetwork.@Nullable Channel connected(String group) {
        MessageLinks open = wires;
        if (open == null) {
            open = new MessageLinks(LeanConfig.of(config));
            wires = open;
            asked = false;
            bootstrap = open.open("coordinator lookup", () -> LeanConfig.bootstrap(config), new Lookup());
        }
        MessageNetwork.Channel lookup = bootstrap;
        if (lookup != null && !asked && lookup.canSend()) {
            lookup.send(DirectCommit.question(group), DirectCommit.COORDINATOR_VERSION);
            asked = true;
        }
        poll();
        return coordinator;
    }

    private void giveUp(String why) {
        LOG.debug("the client commits for now: {}", why);
        close();
        notBeforeNanos = System.nanoTime() + pauseNanos;
        // Reported as retriable. If the error is permanent, the client's next commit fails with it.
        answer(new RetriableCommitFailedException(why));
    }

    private void answer(@Nullable Exception failure) {
        Consumer<@Nullable Exception> waiting = then;
        then = null;
        if (waiting != null) {
            waiting.accept(failure);
        }
    }

    /** Receives the coordinator's address, then opens a channel to the coordinator. */
    private final class Lookup implements MessageNetwork.Receiver {

        @Override
        public void answered(ApiMessage message) {
            InetSocketAddress address = DirectCommit.coordinator((FindCoordinatorResponseData) message);
            if (address == null) {
                throw new KafkaException("no broker coordinates the group now");
            }
            Objects.requireNonNull(bootstrap).drop();
            bootstrap = null;
            coordinator = Objects.requireNonNull(wires).open("commits", () -> List.of(address), new Answers());
        }

        @Override
        public void lost(String why) {
            asked = false;
        }
    }

    private final class Answers implements MessageNetwork.Receiver {

        private final CommitResponse response = new CommitResponse();

        @Override
        public ApiMessage newAnswer(ApiKeys api) {
            return response;
        }

        @Override
        public void answered(ApiMessage message) {
            Errors error = response.error();
            if (error != Errors.NONE) {
                throw new KafkaException(error.message());
            }
            answer(null);
        }

        @Override
        public void lost(String why) {
            throw new KafkaException(why);
        }
    }

    @Override
    public void close() {
        MessageLinks open = wires;
        wires = null;
        coordinator = null;
        bootstrap = null;
        if (open != null) {
            open.close();
        }
    }
}
