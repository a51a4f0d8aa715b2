package dev.weir.lean.internal.threads;

import dev.weir.lean.LeanMetrics;
import dev.weir.lean.spi.Division;
import dev.weir.lean.spi.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one {@link dev.weir.lean.LeanThreads}. The first thread, the home thread, finds partitions and divides
 * them among the threads. If one thread fails, all threads stop. Thread-safe, except where noted.
 */
public final class ReaderThreads {
    private final List<LeanThread> members = new ArrayList<>(); // not changed after the first thread is started
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CompletableFuture<Void> completion = new CompletableFuture<>();
    private volatile boolean ending;

    /** Partitions on the move, which {@link #divide} counts as moved. Confined to the home thread. */
    private final Map<TopicPartition, Slot> moving = new HashMap<>();

    /** Adds a thread. Must be called before {@link #start}. */
    public void add(LeanThread member) {
        members.add(member);
    }

    /** Starts all threads. Must be called once. If a thread cannot be started, the other threads stop. */
    public void start() {
        running.set(members.size());
        for (LeanThread member : members) {
            threads.add(Thread.ofPlatform().name("weir-lean-" + member.number()).unstarted(member));
        }
        for (int started = 0; started < members.size(); started++) {
            try {
                threads.get(started).start();
            } catch (Throwable e) { // Thrown, for example, if there is not enough memory for another thread.
                for (LeanThread rest : members.subList(started, members.size())) {
                    rest.close();
                    ended(e);
                }
                throw e;
            }
        }
    }

    /** Posts commands to the owners of partitions that {@link Division} moves. Called by the home thread only. */
    void divide() {
        Map<TopicPartition, Slot> slots = new LinkedHashMap<>();
        Set<TopicPartition> told = new HashSet<>();
        Set<TopicPartition> toldTwice = new HashSet<>();
        for (LeanThread member : members) {
            for (Slot slot : member.slots()) {
                slots.put(slot.partition(), slot);
                if (!told.add(slot.partition())) {
                    toldTwice.add(slot.partition()); // Two threads report it while it moves.
                }
            }
        }
        moving.values().removeIf(move -> {
            Slot slot = slots.get(move.partition());
            return slot != null
                    && slot.thread() == move.thread()
                    && slot.broker() >= 0
                    && !toldTwice.contains(move.partition());
        });
        slots.putAll(moving);
        for (Slot move : Division.moves(List.copyOf(slots.values()), members.size())) {
            TopicPartition partition = move.partition();
            if (!moving.containsKey(partition) && !toldTwice.contains(partition)) {
                LeanThread owner =
                        members.get(Objects.requireNonNull(slots.get(partition)).thread());
                moving.put(partition, move);
                owner.give(
                        partition,
                        members.get(move.thread()),
                        () -> members.getFirst().post(() -> moving.remove(partition)));
            }
        }
    }

    /** The number of the thread that reads each partition, as last reported by the threads. */
    public Map<TopicPartition, Integer> owners() {
        Map<TopicPartition, Integer> owners = new HashMap<>();
        members.forEach(member -> member.slots().forEach(slot -> owners.put(slot.partition(), slot.thread())));
        return owners;
    }

    public List<LeanMetrics> metrics() {
        return members.stream().map(LeanThread::metrics).toList();
    }

    public CompletionStage<Void> completion() {
        return completion.minimalCompletionStage();
    }

    boolean isEnding() {
        return ending;
    }

    void ended(@Nullable Throwable why) {
        if (why != null && !failure.compareAndSet(null, why)) {
            Throwable first = failure.get();
            if (first != null && first != why) {
                first.addSuppressed(why);
            }
        }
        end();
        if (running.decrementAndGet() == 0) {
            Throwable first = failure.get();
            if (first == null) {
                completion.complete(null);
            } else {
                completion.completeExceptionally(first);
            }
        }
    }

    public void end() {
        ending = true;
        members.forEach(LeanThread::wakeup);
    }

    /** Waits until all threads have stopped. Returns immediately if called by one of these threads. */
    public void join() {
        if (threads.contains(Thread.currentThread())) {
            return;
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
