package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.RebalanceListener;
import dev.weir.kafka.RestrictedConsumer;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.stream.spi.JvmExit;
import dev.weir.stream.spi.Thrown;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Calls the user's rebalance code on a separate thread. Meanwhile, the owner thread serves this code's requests to the
 * consumer. Confined to the owner thread.
 */
final class RebalanceHooks {

    private static final ConsumerLog LOG = ConsumerLog.of(RebalanceHooks.class);

    /** Interval between checks for a listener that has called System.exit. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long COMMITTED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final OwnerThread owner;
    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final RebalanceListener listener;
    private final @Nullable ExternalOffsets external;
    private final OwnerWaits waiting;
    private final OwnerClock clock;
    private final RevokeTimes times;

    RebalanceHooks(
            OwnerThread owner,
            PartitionAssignment assignment,
            OffsetCommits commits,
            RebalanceListener listener,
            @Nullable ExternalOffsets external,
            OwnerWaits waiting,
            OwnerClock clock,
            RevokeTimes times) {
        this.owner = owner;
        this.assignment = assignment;
        this.commits = commits;
        this.listener = listener;
        this.external = external;
        this.waiting = waiting;
        this.clock = clock;
        this.times = times;
    }

    long deadline() {
        return clock.nanoTime() + times.deadlineNanos();
    }

    void assigned(Set<TopicPartition> ids) {
        if (!ids.isEmpty() && listener != RebalanceListener.NONE) {
            call("onAssigned", consumer -> listener.onAssigned(ids, consumer), deadline());
        }
    }

    /** Calls the external offset store and the listener, both until {@code endNanos}. */
    void revoked(Set<TopicPartition> ids, long endNanos) {
        if (!ids.isEmpty()) {
            tellStore(ids, endNanos);
            if (listener != RebalanceListener.NONE) {
                call("onRevoked", consumer -> listener.onRevoked(ids, consumer), endNanos);
            }
        }
    }

    void lost(Set<TopicPartition> ids) {
        long endNanos = deadline();
        tellStore(ids, endNanos);
        if (listener != RebalanceListener.NONE) {
            call("onLost", consumer -> listener.onLost(ids), endNanos);
        }
    }

    /** Calls the external offset store. Leaves half of the time for the listener, if there is one. */
    private void tellStore(Set<TopicPartition> ids, long endNanos) {
        if (external != null) {
            long left = endNanos - clock.nanoTime();
            call(
                    "revoked",
                    consumer -> external.revoked(ids),
                    listener == RebalanceListener.NONE ? endNanos : endNanos - left / 2);
        }
    }

    private void call(String what, Consumer<RestrictedConsumer> body, long endNanos) {
        Call call = new Call();
        Thread thread = Thread.ofVirtual().name("weir-" + what).start(() -> call.run(body));
        long beginNanos = clock.nanoTime();
        try {
            while (!call.isDone()) {
                long left = endNanos - clock.nanoTime();
                if (left <= 0) {
                    LOG.warn(
                            "{} takes longer than {} ms; continuing without it",
                            what,
                            (clock.nanoTime() - beginNanos) / 1_000_000);
                    thread.interrupt();
                    break;
                }
                if (!call.serve()) {
                    waiting.park(Math.min(left, LOOK_NANOS));
                    if (JvmExit.isExiting(thread)) {
                        break;
                    }
                }
            }
        } finally {
            call.expire();
        }
        Throwable failure = call.failure;
        if (failure != null) {
            owner.fail(new KafkaPipelineException(
                    "the rebalance listener's " + what + " failed: " + Thrown.text(failure), failure));
        }
    }

    /**
     * A call of the user's code. The user's thread sends requests through this object, and the owner thread serves
     * them.
     */
    private final class Call implements RestrictedConsumer {

        private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();
        private volatile boolean done;
        private volatile boolean expired;
        private volatile @Nullable Throwable failure;

        void run(Consumer<RestrictedConsumer> body) {
            try {
                body.accept(this);
            } catch (Throwable thrown) {
                failure = thrown;
            } finally {
                done = true;
                waiting.wake();
            }
        }

        boolean isDone() {
            return done;
        }

        boolean serve() {
            Runnable next = asked.poll();
            if (next != null) {
                next.run();
            }
            return next != null;
        }

        void expire() {
            expired = true;
            while (serve()) {
                // Fails the request: the deadline has passed.
            }
        }

        private <A> A ask(Supplier<A> operation) {
            CompletableFuture<A> answer = new CompletableFuture<>();
            asked.add(() -> {
                if (expired) {
                    answer.completeExceptionally(new IllegalStateException("the rebalance has continued without this"));
                    return;
                }
                try {
                    answer.complete(operation.get());
                } catch (RuntimeException refused) {
                    answer.completeExceptionally(refused);
                } catch (Error error) {
                    answer.completeExceptionally(error); // the user's thread waits for the answer
                    throw error;
                }
            });
            waiting.wake();
            if (expired) {
                throw new IllegalStateException("the rebalance has continued without this");
            }
            try {
                return answer.join();
            } catch (CompletionException failed) {
                throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
            }
        }

        @Override
        public Set<TopicPartition> assignment() {
            return ask(assignment::ids);
        }

        @Override
        public Map<TopicPartition, Long> committed(Set<TopicPartition> partitions) {
            return ask(() -> {
                Map<TopicPartition, Long> committed = new HashMap<>();
                commits.committed(partitions, COMMITTED_NANOS).forEach((id, offset) -> {
                    if (offset != null) {
                        committed.put(id, offset.offset());
                    }
                });
                return committed;
            });
        }

        @Override
        public void seek(TopicPartition partition, long offset) {
            var ignored = ask(() -> {
                assignment.placeNew(partition, offset);
                return true;
            });
        }
    }
}
