package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.common.IsolationLevel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the image as a container: a read-only root file system, process 1, and a user without privileges. The image of
 * the build has no base, so it uses this machine's libraries and JDK. {@code checks/container.sh} creates an image from
 * Debian's packages. Requires Linux and root.
 */
@Tag("long")
class ContainerTest {

    private static final Duration SOON = Duration.ofMinutes(3);

    /**
     * Arguments: the root; the JDK, or nothing if the image has a base; a folder with the same path inside and outside;
     * the user; and the entry point.
     */
    private static final String ENTER = """
            set -eu
            root=$1 jdk=$2 shared=$3 user=$4
            shift 4
            PATH=/usr/sbin:/usr/bin:/sbin:/bin
            mount --make-rprivate /
            mount --bind "$root" "$root"
            cd "$root"
            mkdir -p dev proc tmp
            mount --rbind /dev dev
            mount -t proc proc proc
            if [ -n "$jdk" ]; then
              mkdir -p usr ".$jdk"
              for link in lib lib64; do [ -e "$link" ] || ln -s "usr/$link" "$link"; done
              mount --rbind /usr usr
              case $jdk in /usr/*) ;; *) mount --bind "$jdk" ".$jdk" ;; esac
            fi
            mount -t tmpfs -o size=64m,mode=1777 tmpfs tmp
            mkdir -p ".$shared"
            mount --bind "$shared" ".$shared"
            mount -o remount,bind,ro "$root"
            cd /
            if touch "$root/written" 2>/dev/null; then echo "the root can be written" >&2; exit 9; fi
            export PATH="${jdk:+$jdk/bin:}$PATH"
            exec chroot --userspec="$user" --groups= "$root" "$@"
            """;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    private Path folder;

    @Test
    @Timeout(600)
    void container_withReadOnlyRoot_decompresses_andAsProcessOneDrainsOnTerm() throws Exception {
        assumeTrue(mayMount(), "needs root and unshare of Linux, to make a container");
        Image image = Image.open(Files.createDirectory(folder.resolve("image")));
        Path root = Files.createDirectory(folder.resolve("root"));
        // The container's user must be able to read these files.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        image.unpack(root);
        boolean hasBase = Files.isDirectory(root.resolve("usr"));
        assertThat(hasBase).as("upon a base").isEqualTo(Boolean.getBoolean("weir.image.hasBase"));
        assumeTrue(hasBase || Runtime.version().feature() >= 25, "the image is for a JVM of 25");
        KAFKA.cluster().createTopic("in", 2);
        KAFKA.cluster().createTopic("out", 2);
        Map<String, String> settings = Map.of("WEIR_BOOTSTRAP_SERVER", KAFKA.bootstrapServers());
        try (Pods pods = new Pods(Variant.BASE, entering(image, root, hasBase), settings, folder.resolve("pods"));
                Load load = new Load(KAFKA.bootstrapServers(), "in", "snappy")) {
            pods.scaleTo(1);
            assertThat(pods.running().getFirst().out()).contains("\"pid\":1,");
            long count = load.stop();
            Awaitility.await()
                    .atMost(SOON)
                    .untilAsserted(() -> assertThat(KAFKA.cluster().endOffsets("out").values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum())
                            .isGreaterThanOrEqualTo(count));
            pods.scaleTo(0);
            assertThat(
                            Records.numbers(Records.readAll(
                                            KAFKA.bootstrapServers(), "out", IsolationLevel.READ_UNCOMMITTED))
                                    .stream()
                                    .sorted()
                                    .toList())
                    .isEqualTo(LongStream.range(0, count).boxed().toList());
        }
    }

    private List<String> entering(Image image, Path root, boolean hasBase) {
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter"));
        command.add(root.toString());
        command.add(hasBase ? "" : System.getProperty("java.home"));
        command.add(folder.toString());
        command.add(image.config().required("User").asText());
        command.addAll(image.entryPoint());
        return command;
    }

    private static boolean mayMount() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "--mount", "--pid", "--fork", "mount", "--make-rprivate", "/")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) { // The command does not exist.
            return false;
        }
    }
}
