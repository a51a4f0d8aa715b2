package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

/**
 * Tests that a Kafka client is refused if it lacks non-public classes that Weir uses. Up to version 4.3, {@code
 * LogContext} was in another package.
 */
class OldClientTest {

    @Test
    void olderClient_isRefusedAtTheStart_withTheWayOut() throws Exception {
        Class<?> transports = new OldClient().loadClass(SocketTransports.class.getName());
        Constructor<?> constructor = transports.getDeclaredConstructor(Map.class, int.class);
        constructor.setAccessible(true);
        assertThatThrownBy(() -> constructor.newInstance(Map.of(), 0))
                .cause()
                .isInstanceOf(KafkaException.class)
                .hasMessageContainingAll("the lean path needs kafka-clients 4.4", "pin org.apache.kafka:kafka-clients");
    }

    /** Loads the class under test without the classes that older clients lack. */
    private static final class OldClient extends ClassLoader {

        OldClient() {
            super(SocketTransports.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("org.apache.kafka.common.utils.internals.LogContext")) {
                throw new ClassNotFoundException(name);
            }
            return name.equals(SocketTransports.class.getName()) ? defineTransports() : super.loadClass(name, resolve);
        }

        private Class<?> defineTransports() throws ClassNotFoundException {
            try (InputStream in =
                    Objects.requireNonNull(SocketTransports.class.getResourceAsStream("SocketTransports.class"))) {
                byte[] bytes = in.readAllBytes();
                return defineClass(SocketTransports.class.getName(), bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException("unreadable", e);
            }
        }
    }
}
