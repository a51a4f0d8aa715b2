package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests the log that a failed test leaves, and a passed test does not. */
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

    /** Regression: each nested class started another cluster, and the first one ran on after the tests. */
    @Test
    void nestedClass_usesTheClusterOfItsOuterClass_whichEndsWithThat() {
        execute(
                selectNestedMethod(List.of(Example.class), Example.Inner.class, "sees"),
                new TestExecutionListener() {});

        assertThat(Example.seenByInner.get()).isSameAs(Example.cluster.get());
        assertThat(Example.seenByInner.get().broker(1).isRunning()).isFalse();
        assertThat(Example.logs.get()).doesNotExist();
    }

    private static void run(String method, TestExecutionListener listener) {
        execute(selectMethod(Example.class, method), listener);
    }

    private static void execute(DiscoverySelector test, TestExecutionListener listener) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(test)
                                .build(),
                        listener);
    }

    /** Run by the tests above only. */
    static final class Example {
        static final AtomicReference<Path> logs = new AtomicReference<>();
        static final AtomicReference<KafkaCluster> cluster = new AtomicReference<>();
        static final AtomicReference<KafkaCluster> seenByInner = new AtomicReference<>();

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

        @Nested
        final class Inner {
            @Test
            void sees() {
                seenByInner.set(KAFKA.cluster());
                assertThat(KAFKA.cluster().broker(1).isRunning()).isTrue();
            }
        }

        @BeforeAll
        static void rememberCluster() {
            cluster.set(KAFKA.cluster());
        }

        @AfterAll
        static void remember() {
            logs.set(KAFKA.cluster().logs());
        }
    }
}
