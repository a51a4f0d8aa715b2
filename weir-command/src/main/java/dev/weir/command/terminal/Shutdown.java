package dev.weir.command.terminal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The request to stop, by Ctrl-C (SIGINT), SIGTERM or SIGHUP. Thread-safe.
 *
 * <p>How it works:
 * <ol>
 *   <li>The first call of {@link #onStop} installs the signal handlers. Before that, and in commands that never call
 *       {@link #onStop}, a signal ends the process immediately.
 *   <li>The first signal runs each stop action once, newest first, on the signal's own thread. The JVM is
 *       <em>not</em> shutting down yet, so no shutdown hooks run, and log handlers stay open.
 *   <li>The actions make the work finish. The main thread, which waits for the work, then returns its exit code. Only
 *       after that does {@code System.exit} run the shutdown hooks. No hook waits for the main thread, so the two
 *       cannot deadlock.
 *   <li>The second signal runs the {@link #onHalt} action, and halts the process immediately with exit code 130 or 143
 *       (128 + signal).
 *   <li>{@code kill -9} and {@code -Xrs} skip all of these steps. Uncommitted records are delivered again.
 * </ol>
 */
public final class Shutdown {

    private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP");

    private final Terminal terminal;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Runnable> actions = new ArrayDeque<>();
    private boolean installed;
    private volatile Runnable lastAction = () -> {};

    private final CountDownLatch requested = new CountDownLatch(1);

    public Shutdown(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Adds an action for the first signal. If it has arrived, runs the action now. It must not wait long. */
    public void onStop(Runnable action) {
        boolean late;
        lock.lock();
        try {
            late = isRequested();
            if (!late) {
                actions.push(action);
            }
            if (!installed) {
                installed = true;
                SIGNALS.forEach(this::handle);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            runSafely(action);
        }
    }

    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits for the first signal. */
    public void await() throws InterruptedException {
        onStop(() -> {});
        requested.await();
    }

    /** Handles a signal. Returns false if a stop was already in progress. */
    boolean request() {
        List<Runnable> toRun;
        lock.lock();
        try {
            if (isRequested()) {
                return false;
            }
            toRun = List.copyOf(actions);
            actions.clear();
            requested.countDown();
        } finally {
            lock.unlock();
        }
        toRun.forEach(this::runSafely);
        return true;
    }

    private void runSafely(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            // The remaining actions must still run.
            terminal.note("weir: stopping: " + e);
        }
    }

    /** Adds an action for the second signal, which runs no shutdown hooks. The action must not wait. */
    public void onHalt(Runnable action) {
        lastAction = action;
    }

    private void onSignal(int number) {
        if (!isRequested()) {
            terminal.note("weir: stopping; once more to stop at once");
        }
        if (!request()) {
            try {
                lastAction.run();
            } finally {
                Runtime.getRuntime().halt(128 + number);
            }
        }
    }

    // Uses sun.misc.Signal by reflection: javac warns about its direct use, and the warning cannot be suppressed.
    private void handle(String name) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            int number = (Integer) signalType.getMethod("getNumber").invoke(signal);
            Object handler = Proxy.newProxyInstance(
                    Shutdown.class.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, args) -> {
                        if ("handle".equals(method.getName())) {
                            onSignal(number);
                            return null;
                        }
                        return method.invoke(this, args); // equals, hashCode, toString
                    });
            signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException)) {
                throw new LinkageError("cannot handle signal " + name, e);
            }
            // With -Xrs, the JVM does not handle signals, and a signal ends the process.
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot handle signal " + name, e);
        }
    }
}
