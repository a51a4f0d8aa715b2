package dev.weir.console.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.stream.control.ThreadActivity;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadTableTest {

    private record Working(OneThread thread) implements ThreadActivity {

        @Override
        public List<Counts> now() {
            return List.of();
        }

        @Override
        public List<OneThread> each(int most) {
            return List.of(thread);
        }
    }

    private static String text(ThreadTable table) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartArray();
            table.write(json);
            json.writeEndArray();
        }
        return text.toString();
    }

    @Test
    void threadThatWasIdleAtTheFirstLook_isOfItsDispatcherOnceItWorks() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().name("weir-encoding-0").start(() -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            ThreadTable table = new ThreadTable();
            table.look(List.of());
            assertThat(text(table)).contains("{\"name\":\"weir-encoding-0\",\"dispatcher\":\"Weir\"");
            table.look(List.of(new Working(ThreadActivity.OneThread.of(
                    thread.threadId(), "weir-encoding-0", "encoding", ThreadActivity.State.PARKED))));
            assertThat(text(table))
                    .contains("{\"name\":\"weir-encoding-0\",\"dispatcher\":\"encoding\"")
                    .doesNotContain("\"dispatcher\":\"Weir\"");
        } finally {
            over.countDown();
            thread.join();
        }
    }
}
