package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.Place;
import dev.weir.bench.environment.Worker;
import dev.weir.driver.Command;
import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.GroupNumbers;
import dev.weir.driver.NumberRuns;
import dev.weir.driver.Pass;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests workers reached through stand-ins for ssh and kubectl, including failures of the connection. */
class WorkerPlacesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @TempDir
    private Path root;

    private StandIns standIns;
    private DriverCatalog catalog;
    private final List<DriverProcess> started = new ArrayList<>();

    /** A driver that receives one record at the time at which the record is due. */
    static final class Planted implements Driver {
        public static void main(String[] arguments) {
            DriverMain.serve(Map.of("planted", Planted::new, "generator", Planted::new), arguments);
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.STEADY);
        }

        @Override
        public void run(Pass pass) throws InterruptedException {
            pass.delivered(0, 0, Long.parseLong(pass.configuration().options().getOrDefault(SendPlan.START, "0")), 16);
            pass.awaitDone();
        }
    }

    @BeforeEach
    void aCheckoutWithADriver() throws IOException {
        standIns = new StandIns(Files.createDirectory(root.resolve("stand-ins")));
        Path target = root.resolve("drivers/planted/target");
        Files.createDirectories(target.resolve("classes"));
        Files.writeString(
                target.resolve("classes/weir-driver.properties"),
                "main = " + Planted.class.getName() + "\ndrivers = planted, generator\nlibrary = none\n");
        Files.writeString(target.resolve("driver.classpath"), System.getProperty("java.class.path"));
        catalog = DriverCatalog.below(root);
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        program(Path.of(java()), "exec " + java + " -XX:TieredStopAtLevel=1 \"$@\"");
    }

    @AfterEach
    void end() {
        started.forEach(DriverProcess::close);
    }

    private static Worker worker(Place place, String image, String java, String home, long aheadMillis) {
        return new Worker(place, image, Set.of(Worker.Role.values()), java, home, aheadMillis);
    }

    /** Returns a worker reached through the script, with the files of this machine. */
    private Worker ssh(String host) {
        return worker(new Place.Ssh(standIns.program("ssh"), host, List.of()), "", java(), root.toString(), 0);
    }

    /** Returns a script that starts Java with the C1 compiler only, because the processes are short-lived. */
    private String java() {
        return root.resolve("quick-java").toString();
    }

    private static void program(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private DriverLauncher launcher(Worker... workers) {
        return new DriverLauncher(catalog, new BenchEnvironment("test", null, List.of(workers)));
    }

    private static DriverLauncher opened(DriverLauncher launcher) {
        launcher.open(List.of("planted"), doing -> {});
        return launcher;
    }

    private DriverProcess start(DriverLauncher launcher) {
        DriverProcess process = launcher.start("planted", 32, root.resolve("driver.log"));
        started.add(process);
        return process;
    }

    private static Report.Hello greeted(DriverProcess process) throws InterruptedException {
        Report.Hello hello = (Report.Hello) process.receive(PATIENCE, () -> {});
        process.greeted();
        return hello;
    }

    private static void awaitGone(long pid) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void hostByCommand_getsItsFilesOnce_andItsProcessEndsWithTheCampaign() throws Exception {
        Worker bare = worker(new Place.Ssh(standIns.program("ssh"), "h1", List.of("-p", "22")), "", java(), "", 0);
        opened(launcher(bare)).close();
        try (DriverLauncher launcher = opened(launcher(bare))) {
            DriverProcess process = start(launcher);
            Report.Hello hello = greeted(process);
            assertThat(launcher.described())
                    .containsEntry("environment.workers", "ssh h1 (driver and generator)")
                    .containsKeys("worker.1.kernel", "worker.1.cores", "worker.1.load", "worker.1.java");
            process.close();
            awaitGone(hello.pid());
        }
        assertThat(standIns.calls("ssh").stream().filter(call -> call.contains("tar -xf")))
                .hasSize(1);
    }

    @Test
    void fileThatIsCutOff_isNotThere_andTheNextCampaignCopiesIt() throws Exception {
        Path some = root.resolve("some.jar");
        byte[] bytes = new byte[50_000];
        new SplittableRandom(1).nextBytes(bytes);
        Files.write(some, bytes);
        WorkerFiles files = new WorkerFiles(ssh("short").place(), () -> false);
        assertThatThrownBy(() -> files.copy(List.of(some.toString())))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("worker at ssh short: cannot copy 1 files there: exit status");
        WorkerFiles later = new WorkerFiles(ssh("h1").place(), () -> false);
        assertThat(Path.of(later.there(some.toString()))).hasSameBinaryContentAs(some);
    }

    @Test
    void greetingsOfAHost_areNotTakenForReports() throws Exception {
        DriverProcess process = start(opened(launcher(ssh("banner"))));
        assertThat(greeted(process).driver()).isEqualTo("planted");
        assertThat(Files.readString(root.resolve("driver.log"))).contains("*** down at five ***");
    }

    @Test
    void hostThatRefuses_isNamed_withTheCommandAndItsWords() {
        assertThatThrownBy(() -> opened(launcher(ssh("refused"))))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("worker at ssh refused: cannot be reached: exit status 255")
                .hasMessageContaining("port 22: Connection refused")
                .hasMessageContaining("the command was " + standIns.program("ssh"));
    }

    @Test
    void hostThatHangs_isGivenUp_andNothingIsLeftRunning() {
        List<Long> below =
                ProcessHandle.current().descendants().map(ProcessHandle::pid).toList();
        PlaceCommand command =
                new PlaceCommand("cannot be reached", ssh("hanging").place(), List.of("true"), () -> false);
        assertThatThrownBy(() -> command.run(null, Duration.ofMillis(700)))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("worker at ssh hanging: cannot be reached: no end after");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> ProcessHandle.current()
                        .descendants()
                        .filter(process -> !below.contains(process.pid()))
                        .noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void lineThatIsCutOff_failsTheRun_andSaysSo() {
        DriverProcess process = start(opened(launcher(ssh("cut"))));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 3; i++) {
                        greeted(process);
                    }
                })
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("driver planted at ssh cut failed: a line of its reports was cut off")
                .hasMessageContaining("the command was ");
    }

    @Test
    void connectionThatIsLost_failsTheRun_andTheProcessThereEnds() throws Exception {
        DriverProcess process = start(opened(launcher(ssh("lost"))));
        assertThatThrownBy(() -> {
                    while (true) {
                        greeted(process);
                    }
                })
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("driver planted at ssh lost failed");
        awaitGone(standIns.lost());
    }

    @Test
    void hostThatSaysNothing_isGivenUp() {
        DriverProcess process = start(opened(launcher(ssh("silent"))));
        assertThatThrownBy(() -> process.receive(Duration.ofSeconds(1), () -> {}))
                .hasMessageContaining("driver planted at ssh silent sent no report for 1 s");
    }

    @Test
    void programThatIsNotThere_isNamed() {
        Worker worker = worker(new Place.Ssh(root.resolve("none").toString(), "h", List.of()), "", java(), "", 0);
        assertThatThrownBy(() -> opened(launcher(worker)))
                .hasMessageContaining("worker at ssh h: cannot be reached: ")
                .hasMessageContaining("none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-java", "true"})
    void hostWithoutJava_isRefused_withTheKeyThatHelps(String java) {
        Worker worker = worker(new Place.Ssh(standIns.program("ssh"), "h1", List.of()), "", java, root.toString(), 0);
        assertThatThrownBy(() -> opened(launcher(worker)))
                .hasMessageContaining("worker at ssh h1: " + java + " is not Java 21 or later")
                .hasMessageContaining("name another by its key java");
    }

    @Test
    void folderThatIsNotThere_isRefusedBeforeAnythingRuns() {
        Worker worker = worker(new Place.Ssh(standIns.program("ssh"), "h1", List.of()), "", java(), root + "/none", 0);
        assertThatThrownBy(() -> opened(launcher(worker)))
                .hasMessageContaining("worker at ssh h1: there is no folder " + root + "/none");
    }

    /** Images often set {@code JAVA_TOOL_OPTIONS}, for which Java prints an additional first line. */
    @Test
    void javaThatPicksUpOptions_isJavaAllTheSame() throws Exception {
        Path java = root.resolve("java");
        program(java, "JAVA_TOOL_OPTIONS=-Dx=y exec " + java() + " \"$@\"");
        Worker worker = worker(
                new Place.Ssh(standIns.program("ssh"), "h1", List.of()), "", java.toString(), root.toString(), 0);
        DriverLauncher launcher = opened(launcher(worker));
        assertThat(launcher.described().get("worker.1.java")).contains("version \"");
    }

    @Test
    void podOfAnImage_isMadeUsedAndDeleted() throws Exception {
        Place.Pod pod = new Place.Pod(standIns.program("kubectl"), "lab", "perf", "", "");
        try (DriverLauncher launcher = opened(launcher(worker(pod, "some:image", java(), root.toString(), 0)))) {
            DriverProcess process = start(launcher);
            long pid = greeted(process).pid();
            process.close();
            awaitGone(pid);
        }
        List<String> calls = standIns.calls("kubectl");
        assertThat(calls.getFirst())
                .matches("--context=lab --namespace=perf run weir-bench-\\S+ --image=some:image --restart=Never .*");
        String made = calls.getFirst().split(" ", -1)[3];
        assertThat(calls.get(1)).contains(" wait --for=condition=Ready pod/" + made);
        assertThat(calls.stream().filter(call -> call.contains(" exec -i " + made + " -- ")))
                .hasSizeGreaterThanOrEqualTo(2);
        assertThat(calls.getLast()).contains(" delete pod " + made + " --ignore-not-found");
    }

    @Test
    void podThatMayNotBeMade_isNamed_withTheWordsOfTheCluster() {
        Place.Pod pod = new Place.Pod(standIns.program("kubectl"), "", "full", "", "");
        assertThatThrownBy(() -> opened(launcher(worker(pod, "some:image", java(), root.toString(), 0))))
                .hasMessageContaining(": no pod can be made: exit status 1")
                .hasMessageContaining("exceeded quota");
    }

    @Test
    void stop_endsProcessesElsewhere() throws Exception {
        DriverLauncher launcher = opened(launcher(ssh("h1")));
        DriverProcess process = start(launcher);
        long pid = greeted(process).pid();
        launcher.stop();
        awaitGone(pid);
    }

    /** A frozen process does not notice the end of its input. */
    @Test
    void processThatStandsStill_isEndedAllTheSame() throws Exception {
        DriverProcess process = start(opened(launcher(ssh("h1"))));
        long pid = greeted(process).pid();
        process.freeze();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") T "));
        process.close();
        awaitGone(pid);
    }

    @Test
    void processThatIsKilled_isGone_andWhatItHadNotedIsRead() throws Exception {
        DriverLauncher launcher = opened(launcher(ssh("h1")));
        DriverProcess process = start(launcher);
        long pid = greeted(process).pid();
        assertThat(process.pid()).isEqualTo(pid);
        assertThat(process.objectionToSignals()).isNull();
        Path file = Path.of(process.newFileThere());
        assertThat(process.newFileThere()).isNotEqualTo(file.toString());
        GroupNumbers noted = GroupNumbers.in(file, 1, 100);
        assertThat(noted.came(0, 7)).isTrue();
        process.killThere();
        awaitGone(pid);
        assertThat(NumberRuns.decoded(process.noted(file.toString(), 1, 100)
                                .get()
                                .partitions()
                                .getFirst())
                        .toString())
                .isEqualTo("7..7");
        assertThatThrownBy(() -> process.noted(file.toString(), 1, 100).get())
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("worker at ssh h1: what a killed process had noted cannot be read")
                .hasMessageContaining("there is no file " + file);
        launcher.close();
        assertThat(file.getParent()).doesNotExist();
    }

    /** A driver's process ID from another container may belong to an unrelated process on the host. */
    @Test
    void processThatIsNoDriver_getsNoSignal() {
        WorkerHost host = new WorkerHost(ssh("h1"), root, () -> false);
        assertThatThrownBy(() -> host.signal("0", ProcessHandle.current().pid()))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("process " + ProcessHandle.current().pid()
                        + " there is not a driver: java starts processes elsewhere");
    }

    /** A separate script sends the signal. If its connection is refused, only the run fails. */
    @Test
    void processThatWasHalted_goesOn_andASignalThatDoesNotGetThrough_failsTheRun_only() throws Exception {
        DriverProcess process = start(opened(launcher(ssh("h1"))));
        long pid = greeted(process).pid();
        Path state = Path.of("/proc/" + pid + "/stat");
        process.freeze();
        Awaitility.await().atMost(PATIENCE).until(() -> Files.readString(state).contains(") T "));
        process.thaw();
        Awaitility.await().atMost(PATIENCE).until(() -> !Files.readString(state).contains(") T "));
        process.close();
        awaitGone(pid);
        assertThatThrownBy(process::thaw)
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("worker at ssh h1: SIGCONT could not be sent: exit status");
    }

    @Test
    void processes_areSpreadOverPlaces_andEachRunBeginsAtTheFirst() throws Exception {
        DriverLauncher launcher = opened(launcher(ssh("h1"), ssh("h2")));
        for (int processes : new int[] {1, 3}) {
            List<DriverProcess> members = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                members.add(start(launcher));
                greeted(members.getLast()); // The log contains a member's call before the next call starts.
            }
            members.forEach(DriverProcess::close);
        }
        assertThat(standIns.calls("ssh").stream()
                        .filter(call -> call.contains("weir.driver.place"))
                        .map(call -> call.substring(0, 2)))
                .containsExactly("h1", "h1", "h2", "h1");
    }

    @Test
    void clockThatIsApart_isSetRight_withinTheStatedError() throws Exception {
        setRight(86_400_000);
    }

    private void setRight(long aheadMillis) throws Exception {
        Worker apart = worker(
                new Place.Ssh(standIns.program("ssh"), "h1", List.of()), "", java(), root.toString(), aheadMillis);
        DriverProcess process = start(opened(launcher(apart)));
        greeted(process);
        process.passBegins();
        long due = System.nanoTime();
        process.send(new Command.Configure(
                "",
                Map.of(),
                "t",
                1,
                1,
                16,
                Scenario.STEADY,
                Map.of(),
                Map.of(SendPlan.RATE, "1", SendPlan.START, Long.toString(due)),
                1_000));
        process.send(new Command.Start("g", 0, 60));
        Report.First first = (Report.First) process.receive(PATIENCE, () -> {});
        Report.Interval interval = (Report.Interval) process.receive(PATIENCE, () -> {});
        long heard = System.nanoTime();
        long error = Objects.requireNonNull(process.clockErrorNanos());
        assertThat(error).isPositive().isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(first.nanos()).isBetween(due - error, heard + error);
        Histogram latency = Histogram.decodeFromCompressedByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(interval.timings().getFirst())), 0);
        assertThat(latency.getTotalCount()).isOne();
        assertThat(latency.getMaxValue() * 0.99).isLessThanOrEqualTo(heard - due + (double) error);
        Report.Passed passed = (Report.Passed) process.receive(PATIENCE, () -> {});
        assertThat(passed.client()).containsKey("host: busy % at ssh h1");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {0, -250, 250})
    void clockThatIsApartOtherwise_isSetRight_withinTheStatedError(long aheadMillis) throws Exception {
        setRight(aheadMillis);
    }
}
