package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Checks that the log of a failed test can be found and that a passed test leaves no log. */
final class KafkaClusterExtensionTest {
    @Test
    void failedTest_log_isKeptAndReported() throws Exception {
        AtomicReference<Path> reported = new AtomicReference<>();
        TestExecutionListener listener = new TestExecutionListener() {
            @Override
            public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
                reported.set(Path.of(entry.getKeyValuePairs().getOrDefault("kafka logs", "none")));
            }
        };

        run("fails", listener);

        assertThat(reported.get()).isEqualTo(Example.logs.get());
        assertThat(reported.get().resolve("brokers.log")).isNotEmptyFile();
        Folders.delete(reported.get().resolve("..").normalize());
    }

    @Test
    void passedTest_folder_isDeleted() {
        run("passes", new TestExecutionListener() {});

        assertThat(Example.logs.get()).doesNotExist();
    }

    private static void run(String method, TestExecutionListener listener) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(Example.class, method))
                                .build(),
                        listener);
    }

    /** A test like a user's test. Only the tests above run it. */
    static final class Example {
        static final AtomicReference<Path> logs = new AtomicReference<>();

        @RegisterExtension
        static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

        @Test
        void fails() {
            fail("on purpose");
        }

        @Test
        void passes() {
            assertThat(KAFKA.cluster().broker(1).isRunning()).isTrue();
        }

        @AfterAll
        static void remember() {
            logs.set(KAFKA.cluster().logs());
        }
    }
}
