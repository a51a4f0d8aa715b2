package dev.weir.console;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The open consoles of this process. {@link ConsoleServer#ADDRESS_PROPERTY} holds the address of the newest one.
 * Thread-safe.
 */
final class OpenConsoles {

    private static final ReentrantLock LOCK = new ReentrantLock();

    /** The addresses, oldest first. Guarded by the lock. */
    private static final List<String> ADDRESSES = new ArrayList<>();

    private OpenConsoles() {}

    static void add(URI console) {
        LOCK.lock();
        try {
            ADDRESSES.add(console.toString());
            System.setProperty(ConsoleServer.ADDRESS_PROPERTY, console.toString());
        } finally {
            LOCK.unlock();
        }
    }

    static void remove(URI console) {
        LOCK.lock();
        try {
            ADDRESSES.remove(console.toString());
            if (!console.toString().equals(System.getProperty(ConsoleServer.ADDRESS_PROPERTY))) {
                return;
            }
            if (ADDRESSES.isEmpty()) {
                System.clearProperty(ConsoleServer.ADDRESS_PROPERTY);
            } else {
                System.setProperty(ConsoleServer.ADDRESS_PROPERTY, ADDRESSES.getLast());
            }
        } finally {
            LOCK.unlock();
        }
    }
}
