package dev.weir.testkit.internal;

import dev.weir.testkit.RareAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.protocol.ApiKeys;

/** The ports, connections and faults of a {@link dev.weir.testkit.FaultProxy}. Thread-safe. */
public final class ProxyNetwork {

    /** Position of the client id in a request, after its API key, version and correlation id. */
    private static final int ID_AT = 2 * Short.BYTES + Integer.BYTES;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Map<String, ServerSocket> ports = new HashMap<>();
    private final Set<ProxyConnection> connections = new HashSet<>();
    private boolean cut;
    private boolean held;
    private boolean closed;

    private volatile long delayNanos;

    private final Set<String> writers = ConcurrentHashMap.newKeySet();

    private final Set<String> swallowed = ConcurrentHashMap.newKeySet();

    private volatile RareAnswers rareAnswers = new RareAnswers(0, Set.of());

    /** Returns the network's own port for a broker. The first call opens it. */
    public int portFor(String host, int port) {
        lock.lock();
        try {
            if (closed) {
                throw new SocketException("closed");
            }
            ServerSocket own = ports.get(host + ":" + port);
            if (own == null) {
                own = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ports.put(host + ":" + port, own);
                ServerSocket listening = own;
                Thread.ofVirtual().name("weir-proxy-" + port).start(() -> accept(listening, host, port));
            }
            return own.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no port for the proxy of " + host + ":" + port, e);
        } finally {
            lock.unlock();
        }
    }

    private void accept(ServerSocket listening, String host, int port) {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                if (isCut()) {
                    ProxyConnection.reset(client);
                } else {
                    connect(client, host, port);
                }
            } catch (IOException gone) {
                // The port was closed, or the client disconnected before the connection was accepted.
            }
        }
    }

    private void connect(Socket client, String host, int port) {
        ProxyConnection connection;
        try {
            connection = new ProxyConnection(this, client, new Socket(host, port));
        } catch (IOException brokerAway) {
            ProxyConnection.reset(client);
            return;
        }
        lock.lock();
        try {
            if (!cut && !closed) {
                connections.add(connection);
                connection.start();
                return;
            }
        } finally {
            lock.unlock();
        }
        connection.close();
    }

    private boolean isCut() {
        lock.lock();
        try {
            return cut;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time at which to forward a message that arrives now. */
    long dueNanos() {
        return System.nanoTime() + delayNanos;
    }

    /**
     * Waits until a message may be forwarded.
     *
     * @param lateNanos an additional delay, before {@code dueNanos} and the faults are checked
     */
    void awaitPassage(long dueNanos, long lateNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long late = lateNanos; late > 0; ) {
                late = changed.awaitNanos(late);
            }
            while (true) {
                long left = Math.min(dueNanos - System.nanoTime(), delayNanos); // delayNanos may have changed
                if (held) {
                    changed.await();
                } else if (left > 0) {
                    long ignored = changed.awaitNanos(left);
                } else {
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    void ended(ProxyConnection connection) {
        lock.lock();
        try {
            connections.remove(connection);
        } finally {
            lock.unlock();
        }
    }

    /** Drops further produce requests from all clients that have already written. */
    public void swallowWrites() {
        swallowed.addAll(writers);
    }

    boolean swallows(byte[] request) {
        ByteBuffer header = ByteBuffer.wrap(request);
        short api = header.getShort(0);
        if (api != ApiKeys.PRODUCE.id && api != ApiKeys.INIT_PRODUCER_ID.id) {
            return false;
        }
        short idBytes = header.getShort(ID_AT);
        String id = idBytes < 0 ? "" : new String(request, ID_AT + Short.BYTES, idBytes, StandardCharsets.UTF_8);
        if (api == ApiKeys.PRODUCE.id) {
            boolean ignored = writers.add(id);
            return swallowed.contains(id);
        }
        boolean ignored = swallowed.remove(id);
        return false;
    }

    /** Starts replacing some responses with rare ones. Replaces the seed and kinds of an earlier call. */
    public void answerRarely(long seed, Set<RareAnswer> kinds) {
        rareAnswers = new RareAnswers(seed, kinds);
    }

    /** Returns how often each kind of rare response was given since the last {@link #answerRarely}. */
    public Map<RareAnswer, Long> rareAnswersGiven() {
        return rareAnswers.given();
    }

    RareAnswers rareAnswers() {
        return rareAnswers;
    }

    /** Delays each message from now on. Messages that are waiting do not wait longer than the new delay. */
    public void delay(Duration each) {
        lock.lock();
        try {
            delayNanos = each.toNanos();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Stops forwarding until {@link #restore}. */
    public void hold() {
        lock.lock();
        try {
            held = true;
        } finally {
            lock.unlock();
        }
    }

    /** Resets all connections, and new ones until {@link #restore}. */
    public void cut() {
        List<ProxyConnection> all;
        lock.lock();
        try {
            cut = true;
            all = List.copyOf(connections);
        } finally {
            lock.unlock();
        }
        all.forEach(ProxyConnection::close);
    }

    /** Ends all faults and forwards everything. */
    public void restore() {
        swallowed.clear();
        rareAnswers.stop();
        delayNanos = 0;
        lock.lock();
        try {
            cut = false;
            held = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes all connections and ports. */
    public void close() {
        cut();
        lock.lock();
        try {
            closed = true;
            for (ServerSocket port : ports.values()) {
                port.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a port of the proxy cannot be closed", e);
        } finally {
            lock.unlock();
        }
    }
}
