package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

class OutputTopicsTest {

    /** Regression: after one failed check, for example without DNS, topics were never checked again. */
    @Test
    void client_thatCannotBeCreatedAtFirst_isCreatedByALaterCheck() throws Exception {
        var isUp = new AtomicBoolean();
        BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        Admin admin = (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (self, method, args) -> {
                    calls.add(method.getName());
                    if (method.getName().equals("describeTopics")) {
                        throw new OutOfMemoryError("planted");
                    }
                    return null;
                });
        var topics = new OutputTopics(
                () -> {
                    boolean wasUp = isUp.get();
                    calls.add("create");
                    if (!wasUp) {
                        throw new KafkaException("no bootstrap name resolves");
                    }
                    return admin;
                },
                failure -> {});
        try {
            topics.written("out");
            assertThat(next(calls)).isEqualTo("create");
            isUp.set(true);
            topics.suspect("out");
            assertThat(List.of(next(calls), next(calls))).containsExactly("create", "describeTopics");
            topics.suspect("out");
            assertThat(next(calls)).as("after a failed query").isEqualTo("describeTopics");
        } finally {
            topics.close();
        }
        assertThat(next(calls)).isEqualTo("close");
    }

    private static String next(BlockingQueue<String> calls) throws InterruptedException {
        return String.valueOf(calls.poll(20, TimeUnit.SECONDS));
    }
}
