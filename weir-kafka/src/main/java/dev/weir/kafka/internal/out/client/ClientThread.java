package dev.weir.kafka.internal.out.client;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/** The thread of one Kafka client, as far as its callbacks reveal it. Thread-safe. */
public final class ClientThread {

    /** The name Kafka's client gives it. */
    private static final String NAME = "kafka-producer-network-thread";

    /** Number of its frames in a message. */
    private static final int FRAMES = 4;

    private static final Map<Producer<?, ?>, ClientThread> OF_CLIENTS =
            Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Weak, because this object outlives its client in {@link #OF_CLIENTS} until the next lookup there, and an ended
     * thread still references everything it ran with, including the client's buffers.
     */
    private volatile @Nullable WeakReference<Thread> thread;

    private volatile boolean closing;

    private final AtomicBoolean toldToFail = new AtomicBoolean();

    /**
     * The thread of a client, the same object for all callers; known once a client that Weir opened has met the
     * brokers.
     */
    public static ClientThread of(Producer<?, ?> client) {
        return OF_CLIENTS.computeIfAbsent(client, notOpenedHere -> new ClientThread());
    }

    /** Sets the thread that {@link #of} returns for a client from now on. */
    public void isOf(Producer<?, ?> client) {
        OF_CLIENTS.put(client, this);
    }

    /** Notes a callback of the client on the current thread: its own thread, or within a send the sender's. */
    public void heard() {
        Thread current = Thread.currentThread();
        WeakReference<Thread> known = thread;
        if ((known == null || !known.refersTo(current)) && current.getName().startsWith(NAME)) {
            thread = new WeakReference<>(current);
        }
    }

    /** Notes that the client was asked to close, so its thread is about to end. */
    void closes() {
        closing = true;
    }

    /** Notes that the client is about to fail unanswered records; returns false if that was noted before. */
    boolean tellToFail() {
        return toldToFail.compareAndSet(false, true);
    }

    /** Returns whether it is the calling thread. */
    boolean isCurrent() {
        WeakReference<Thread> known = thread;
        return known != null && known.refersTo(Thread.currentThread());
    }

    /** Returns whether the client was asked to close. */
    boolean isClosing() {
        return closing;
    }

    private static boolean isOfJdk(String className) {
        return className.startsWith("java.") || className.startsWith("jdk.");
    }

    /** Returns the name of the thread and its top frames outside the JDK; empty if it is not known or has ended. */
    String describe() {
        WeakReference<Thread> known = thread;
        Thread running = known == null ? null : known.get();
        return running == null || !running.isAlive()
                ? ""
                : running.getName() + " in "
                        + Arrays.stream(running.getStackTrace())
                                .filter(frame -> !isOfJdk(frame.getClassName()))
                                .limit(FRAMES)
                                .map(StackTraceElement::toString)
                                .collect(Collectors.joining(" < "));
    }

    /** Returns whether the thread ended without a request; false as long as it is not known. */
    public boolean isDead() {
        WeakReference<Thread> known = thread;
        if (known == null || closing) {
            return false;
        }
        Thread running = known.get();
        return running == null || !running.isAlive();
    }
}
