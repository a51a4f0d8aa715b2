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

/** The thread of one Kafka client, discovered through the client's callbacks. Thread-safe. */
public final class ClientThread {

    private static final String NAME = "kafka-producer-network-thread";

    private static final String LEAN_NAME = "weir-lean-producer";

    private static final int FRAMES = 4;

    private static final Map<Producer<?, ?>, ClientThread> OF_CLIENTS =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** The thread, if known. The reference is weak because an ended thread still references the client's buffers. */
    private volatile @Nullable WeakReference<Thread> thread;

    private volatile boolean closing;

    private final AtomicBoolean toldToFail = new AtomicBoolean();

    /**
     * Returns a client's thread. All callers get the same object. The thread of a client opened by Weir becomes known
     * when the client first receives cluster metadata.
     */
    public static ClientThread of(Producer<?, ?> client) {
        return OF_CLIENTS.computeIfAbsent(client, notOpenedHere -> new ClientThread());
    }

    /** Makes {@link #of} return this object for the client. */
    public void isOf(Producer<?, ?> client) {
        OF_CLIENTS.put(client, this);
    }

    /**
     * Reports that the client has called back on the current thread. This is the client's own thread or, during a send,
     * the sender's thread.
     */
    public void heard() {
        Thread current = Thread.currentThread();
        WeakReference<Thread> known = thread;
        if ((known == null || !known.refersTo(current)) && isOfClient(current.getName())) {
            thread = new WeakReference<>(current);
        }
    }

    private static boolean isOfClient(String threadName) {
        return threadName.startsWith(NAME) || threadName.equals(LEAN_NAME);
    }

    /** Reports that the client was asked to close. Its thread is about to end. */
    void closes() {
        closing = true;
    }

    /** Reports that the client is about to fail its unacknowledged records. Returns false on repeated calls. */
    boolean tellToFail() {
        return toldToFail.compareAndSet(false, true);
    }

    boolean isCurrent() {
        WeakReference<Thread> known = thread;
        return known != null && known.refersTo(Thread.currentThread());
    }

    boolean isClosing() {
        return closing;
    }

    private static boolean isOfJdk(String className) {
        return className.startsWith("java.") || className.startsWith("jdk.");
    }

    /** Returns the thread's name and its top stack frames outside the JDK; empty if it is unknown or has ended. */
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

    /**
     * Returns whether the thread has ended although the client was not asked to close. False if the thread is unknown.
     */
    public boolean isDead() {
        WeakReference<Thread> known = thread;
        if (known == null || closing) {
            return false;
        }
        Thread running = known.get();
        return running == null || !running.isAlive();
    }
}
