package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code bin/weir} of the archive and its cache, with a fake JDK that only records its calls. */
class ArchiveLauncherTest {

    private static final String CACHE_25 = "[-XX:AOTCache=";
    private static final String CACHE_21 = "[-XX:SharedArchiveFile=";

    @TempDir
    private Path temp;

    private Path jdk;
    private Archive archive;

    @BeforeEach
    void install() throws IOException {
        Files.createDirectories(temp.resolve("jdk/bin"));
        Path root = temp.resolve("an archive");
        copy(Published.ROOT.resolve("weir-dist/src/dist/bin/weir"), root.resolve("bin/weir"));
        for (String part : List.of("find-jdk.sh", "start-jvm.sh")) {
            copy(
                    Published.ROOT.resolve(".mvn").resolve(part),
                    root.resolve("libexec").resolve(part));
        }
        Files.writeString(Files.createDirectories(root.resolve("lib")).resolve("weir.jar"), "");
        checksums("one");
        archive = Archive.at(root, temp.resolve("a home"));
        jdk = temp.resolve("jdk");
        script(jdk.resolve("bin/javac"), "#!/bin/sh\n");
        version("25.0.1");
        // Files with these names in TEMP change the fake JDK's behaviour.
        script(jdk.resolve("bin/java"), """
                #!/bin/sh
                cd 'TEMP' || exit
                make() { for argument; do case $argument in "$name"=*) echo made >"${argument#*=}" ;; esac; done; }
                case $* in
                  *-XX:AOTMode=record* | *-XX:ArchiveClassesAtExit=*)
                    echo "training${JAVA_TOOL_OPTIONS-}${JDK_JAVA_OPTIONS-}${_JAVA_OPTIONS-}" >>trainings
                    [ ! -f broken ] || exit 1
                    [ ! -f vanishing ] || rm -rf 'CACHES'
                    [ ! -f early ] || { echo $$ >trainer; kill -TERM $PPID; exec sleep 300; }
                    [ ! -f slow ] || { echo $$ >t && mv t trainer && exec sleep 300; }
                    name=-XX:AOTConfiguration; make "$@"
                    name=-XX:ArchiveClassesAtExit; make "$@"
                    ;;
                  *-XX:AOTMode=create*) name=-XX:AOTCache; make "$@" ;;
                  *)
                    for argument; do printf '[%s]' "$argument"; done
                    echo
                    [ -f working ] || exit 0
                    trap 'echo drained; exit 0' TERM
                    : >started
                    while :; do sleep 0.1; done
                    ;;
                esac
                """.replace("TEMP", temp.toString())
                .replace("CACHES", archive.caches().toString()));
    }

    @Test
    void cache_isMadeByTheFirstStart_andUsedByAll() throws Exception {
        assertThat(run("--version")).contains(CACHE_25).endsWith("[--version]\n");
        assertThat(run("pipe", "a b", "")).contains(CACHE_25).endsWith("[pipe][a b][]\n");
        assertThat(trainings()).isEqualTo(1);
        assertThat(archive.cacheFiles()).hasSize(1);
    }

    @Test
    void jdkWithoutAotCaches_hasAnArchiveOfClasses() throws Exception {
        version("21.0.8");
        assertThat(run()).contains(CACHE_21).doesNotContain("AOT");
    }

    @Test
    void cache_isRecreated_afterTheJdkOrTheArchiveChanged() throws Exception {
        run();
        version("25.0.2");
        assertThat(run()).contains(CACHE_25);
        assertThat(trainings()).isEqualTo(2);
        checksums("two");
        assertThat(run()).contains(CACHE_25);
        run();
        assertThat(trainings()).isEqualTo(3);
    }

    @Test
    void cache_thatIsNotWanted_orHasNoPlace_isNotMade() throws Exception {
        Path file = Files.createFile(temp.resolve("a file, no folder"));
        for (Map<String, String> environment : List.of(
                Map.of("WEIR_AOT", "off"),
                Map.of("HOME", ""),
                Map.of("HOME", "", "XDG_CACHE_HOME", "relative"),
                Map.of("XDG_CACHE_HOME", file.toString()))) {
            assertThat(run(environment, "x")).doesNotContain("Cache=").endsWith("[x]\n");
        }
        assertThat(Files.exists(temp.resolve("trainings"))).isFalse();
    }

    /** JDK 25 does not start with both our cache and these options. */
    @Test
    void optionsOfTheUserAboutCaches_leaveNoPlaceForOurs() throws Exception {
        run();
        for (Map<String, String> environment : List.of(
                Map.of("WEIR_OPTS", "-Xmx1g -Xshare:off"),
                Map.of("WEIR_OPTS", "-XX:AOTCacheOutput=mine"),
                Map.of("JAVA_TOOL_OPTIONS", "-Xshare:auto"),
                Map.of("JDK_JAVA_OPTIONS", "-XX:SharedArchiveFile=mine"),
                Map.of("WEIR_OPTS", "-Xshare:auto", "XDG_CACHE_HOME", temp.toString()))) {
            assertThat(run(environment, "x")).doesNotContain(CACHE_25).endsWith("[x]\n");
        }
        assertThat(run(Map.of("WEIR_OPTS", "-Xmx1g"))).contains(CACHE_25);
        assertThat(trainings()).isEqualTo(1);
    }

    /** A debugger requested by the environment would stop a training run. */
    @Test
    void training_hasNoOptionsOfTheEnvironment() throws Exception {
        run(Map.of("JAVA_TOOL_OPTIONS", "-Da=b", "JDK_JAVA_OPTIONS", "-Da=b", "_JAVA_OPTIONS", "-Da=b"));
        assertThat(temp.resolve("trainings")).hasContent("training");
    }

    @Test
    void cache_isTheSame_inEachTimeZoneAndLocale() throws Exception {
        run(Map.of("TZ", "UTC0"));
        run(Map.of("TZ", "JST-9", "LC_ALL", "C.UTF-8", "TIME_STYLE", "full-iso"));
        assertThat(trainings()).isEqualTo(1);
    }

    /** The lock may belong to another user, or the disk may be read-only. */
    @Test
    void lockThatCannotBeTakenAway_failsNoCommand() throws Exception {
        script(temp.resolve("tools/rm"), "#!/bin/sh\necho 'rm: not permitted' >&2\nexit 1\n");
        Map<String, String> environment = Map.of("PATH", temp.resolve("tools") + ":" + System.getenv("PATH"));
        assertThat(run(environment, "x")).contains(CACHE_25).endsWith("[x]\n");
        Path lock = cache().resolveSibling(cache().getFileName() + ".lock");
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isTrue();
        Files.delete(cache());
        assertThat(run(environment, "x")).doesNotContain(CACHE_25).endsWith("[x]\n");
    }

    /** Root can write to this folder nevertheless. */
    @Test
    void folderThatCannotBeWritten_failsNoCommand() throws Exception {
        Files.createDirectories(archive.caches());
        assertThat(archive.caches().toFile().setWritable(false)).isTrue();
        assertThat(run("--version")).endsWith("[--version]\n");
        assertThat(archive.caches().toFile().setWritable(true)).isTrue();
    }

    /** The cache folder is deleted while a cache is created, so the launcher cannot write to it. */
    @Test
    void folderThatVanishesMeanwhile_failsNoCommand() throws Exception {
        Files.createFile(temp.resolve("vanishing"));
        assertThat(run("--version")).doesNotContain(CACHE_25).endsWith("[--version]\n");
        assertThat(archive.caches()).doesNotExist();
        Files.delete(temp.resolve("vanishing"));
        assertThat(run()).contains(CACHE_25);
    }

    @Test
    void cache_thatCouldNotBeMade_isTriedAgainADayLater() throws Exception {
        Files.createFile(temp.resolve("broken"));
        assertThat(run("--version")).doesNotContain(CACHE_25).endsWith("[--version]\n");
        run();
        assertThat(trainings()).isEqualTo(1);
        Files.delete(temp.resolve("broken"));
        Path note = archive.cacheFiles().get(0);
        Files.setLastModifiedTime(note, FileTime.from(Instant.now().minusSeconds(49 * 3600)));
        assertThat(run()).contains(CACHE_25);
        assertThat(trainings()).isEqualTo(2);
    }

    @Test
    void startsMeanwhile_runWithoutTheCache_andDoNotWait() throws Exception {
        Files.createFile(temp.resolve("slow"));
        try (Archive.Run first = start(Map.of())) {
            until(first, () -> Files.exists(temp.resolve("trainer")));
            assertThat(run("--version")).doesNotContain(CACHE_25).endsWith("[--version]\n");
            assertThat(trainings()).isEqualTo(1);
            first.process().destroy();
            assertThat(first.ended()).isEqualTo(143);
        }
    }

    @Test
    void signal_whileTheCacheIsMade_endsTheStartAtOnce_andLeavesNothing() throws Exception {
        Files.createFile(temp.resolve("slow"));
        try (Archive.Run first = start(Map.of())) {
            until(first, () -> Files.exists(temp.resolve("trainer")));
            long trainer =
                    Long.parseLong(Files.readString(temp.resolve("trainer")).strip());
            assertThat(ProcessHandle.of(trainer)).isPresent();
            first.process().destroy();
            assertThat(first.ended()).isEqualTo(143);
            assertThat(first.out()).isEmpty();
            assertThat(ProcessHandle.of(trainer)).isEmpty();
        }
        assertThat(archive.cacheFiles()).isEmpty();
        Files.delete(temp.resolve("slow"));
        assertThat(run()).contains(CACHE_25);
    }

    /** The training process sends the signal at once, sometimes before the shell has done anything after the fork. */
    @RepeatedTest(8)
    void signal_asTheTrainerIsForked_leavesNoTrainer() throws Exception {
        Files.createFile(temp.resolve("early"));
        try (Archive.Run first = start(Map.of())) {
            assertThat(first.ended()).isEqualTo(143);
        }
        var trainer = ProcessHandle.of(
                Long.parseLong(Files.readString(temp.resolve("trainer")).strip()));
        trainer.ifPresent(ProcessHandle::destroyForcibly);
        assertThat(trainer).isEmpty();
        assertThat(archive.cacheFiles()).isEmpty();
    }

    @Test
    void signal_afterTheCacheWasMade_reachesTheProgram() throws Exception {
        Files.createFile(temp.resolve("working"));
        try (Archive.Run first = start(Map.of())) {
            until(first, () -> Files.exists(temp.resolve("started")));
            first.process().destroy();
            assertThat(first.ended()).isZero();
            assertThat(first.out()).contains(CACHE_25).endsWith("drained\n");
        }
    }

    /** The killed start's lock delays no command. The start after the next one creates the cache. */
    @Test
    void lockOfAStartThatWasKilled_isTakenAway() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Path lock = leaveLock(gone.pid());
        assertThat(run()).doesNotContain(CACHE_25);
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(run()).contains(CACHE_25);
    }

    /** The process id in the lock may belong to another process by now. */
    @Test
    void lockOfYesterday_isTakenAway_whoeverHasItsNumber() throws Exception {
        Path lock = leaveLock(ProcessHandle.current().pid());
        run();
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(new ProcessBuilder("touch", "-h", "-t", "202601010000", lock.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        run();
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    private Path leaveLock(long pid) throws Exception {
        run();
        Path cache = cache();
        Files.delete(cache);
        return Files.createSymbolicLink(
                cache.resolveSibling(cache.getFileName() + ".lock"), Path.of(Long.toString(pid)));
    }

    private Path cache() throws IOException {
        return archive.cacheFiles().stream()
                .filter(file -> !file.getFileName().toString().contains("."))
                .findFirst()
                .orElseThrow();
    }

    private Archive.Run start(Map<String, String> environment, String... arguments) throws IOException {
        Map<String, String> whole = new HashMap<>(environment);
        whole.put("WEIR_JAVA_HOME", jdk.toString());
        return archive.start(whole, arguments);
    }

    /** Runs the launcher, which must succeed without error output. Returns its call of the JVM. */
    private String run(String... arguments) throws Exception {
        return run(Map.of(), arguments);
    }

    private String run(Map<String, String> environment, String... arguments) throws Exception {
        try (Archive.Run run = start(environment, arguments)) {
            String out = run.succeeded();
            assertThat(run.err()).isEmpty();
            return out;
        }
    }

    private int trainings() throws IOException {
        return Files.readAllLines(temp.resolve("trainings")).size();
    }

    private static void until(Archive.Run run, BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + Archive.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(run.process().isAlive() && System.nanoTime() < deadline)
                    .as(run.err())
                    .isTrue();
            LockSupport.parkNanos(10_000_000);
        }
    }

    private void checksums(String of) throws IOException {
        Files.writeString(temp.resolve("an archive/lib/checksums.csv"), of);
    }

    private void version(String version) throws IOException {
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
    }
}
