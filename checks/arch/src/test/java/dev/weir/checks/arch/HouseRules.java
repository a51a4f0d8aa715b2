package dev.weir.checks.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.base.DescribedPredicate.or;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.core.domain.properties.HasParameterTypes.Predicates.rawParameterTypes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.stream.Stream;

/** The house rules for the packages below a root: Weir, or a package with planted violations. Immutable. */
final class HouseRules {

    /**
     * Main classes that run in their own process. Each talks to the process that started it, or returns its
     * application's exit code.
     */
    private static final List<String> MAINS = List.of(
            "testkit.internal.BrokerMain",
            "testkit.internal.ReleaseMain",
            "testkit.internal.OwnerPipe",
            "driver.DriverMain",
            "driver.Lease",
            "driver.NotedNumbers",
            "examples.formats.Usage",
            "examples.pipelines.Usage",
            "examples.plain.Invoicing",
            "examples.spring.InvoicingApplication");

    /** The two classes that may wait in another way. */
    private static final List<String> WAIT_OTHERWISE =
            List.of("stream.internal.run.TaskGroup", "stream.internal.parallel.BlockingWorkers");

    private static final List<String> MESSAGE_READERS = List.of("Thrown", "FailureText");

    private final String root;

    HouseRules(String root) {
        this.root = root;
    }

    ArchRule usesOnlyModulesBelow(WeirModule module) {
        String[] allowed = Stream.concat(module.uses().stream(), Stream.of(module.packageName))
                .map(this::packageOf)
                .toArray(String[]::new);
        return noClasses()
                .that(resideInAPackage(packageOf(module.packageName)))
                .should()
                .dependOnClassesThat(resideInAPackage(root + "..").and(not(resideInAnyPackage(allowed))))
                .as(module.folder + " uses no module but " + module.uses());
    }

    ArchRule streamKnowsNothingOfKafka() {
        return noClasses()
                .that(resideInAPackage(packageOf("stream")))
                .should()
                .dependOnClassesThat(resideInAPackage("org.apache.kafka.."))
                .as("weir-stream knows nothing of Kafka");
    }

    ArchRule internalsAreNotTouched(WeirModule module) {
        return noClasses()
                .that(resideInAPackage(root + "..")
                        .and(resideOutsideOfPackage(packageOf(module.packageName)))
                        .and(not(describe(
                                "a test helper that needs batches, which only the lean reader creates",
                                type -> type.getName().equals(root + ".kafka.internal.in.fetch.FetchedRows")))))
                .should()
                .dependOnClassesThat(resideInAPackage(root + "." + module.packageName + "..internal.."))
                .as("nothing outside " + module.folder + " touches its internal packages");
    }

    ArchRule publicSignaturesNameNoInternalType() {
        return classes()
                .that(resideInAPackage(root + "..").and(not(resideInAPackage("..internal.."))))
                .should(new NameNoInternalType())
                .as("a public signature names no internal type");
    }

    ArchRule onlyTheCommandPrintsOrExits() {
        return noClasses()
                .that(resideInAPackage(root + "..")
                        .and(resideOutsideOfPackages(packageOf("cli"), packageOf("command")))
                        .and(not(describe(
                                "mains of other processes",
                                type -> MAINS.contains(type.getName().substring(root.length() + 1))))))
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethodWhere(JavaCall.Predicates.target(owner(assignableTo(Throwable.class)))
                        .and(JavaCall.Predicates.target(name("printStackTrace")))
                        .and(JavaCall.Predicates.target(rawParameterTypes(new Class<?>[0]))))
                .orShould()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class)
                .as("only the command prints or ends the process");
    }

    ArchRule nobodySleeps() {
        return noClasses()
                .that(resideInAPackage(root + ".."))
                .should()
                .callMethodWhere(JavaCall.Predicates.target(owner(or(assignableTo(Thread.class), type(TimeUnit.class))))
                        .and(JavaCall.Predicates.target(name("sleep"))))
                .as("nobody sleeps: wait for what you wait for, with a deadline");
    }

    /** An application's SLF4J log would not get lines of the JDK's loggers. */
    ArchRule libraryLogsThroughSlf4j() {
        return noClasses()
                .that(resideInAnyPackage(Stream.of("lean", "kafka", "metrics", "console", "testkit", "otel", "spring")
                        .map(module -> root + "." + module + "..")
                        .toArray(String[]::new)))
                .should()
                .callMethod(System.class, "getLogger", String.class)
                .as("modules above weir-stream log through SLF4J");
    }

    /** Stages must wait only through the engine's clock (ADR 11). */
    ArchRule stagesWaitByTheClock() {
        return noClasses()
                .that(resideInAPackage(root + ".stream.internal..")
                        .and(not(describe(
                                "those that may wait otherwise",
                                type -> WAIT_OTHERWISE.contains(type.getName().substring(root.length() + 1))))))
                .should()
                .callMethodWhere(JavaCall.Predicates.target(owner(assignableTo(Condition.class)))
                        .and(JavaCall.Predicates.target(nameMatching("await.*"))))
                .as("stages wait by the clock of their run: clock.await(lock, condition, deadline or NEVER)");
    }

    /** The messages of Weir's own exceptions are never null. */
    ArchRule messagesOfOthersAreReadByOneMethod() {
        return noClasses()
                .that(resideInAnyPackage(packageOf("stream"), packageOf("kafka"), packageOf("lean"))
                        .and(not(describe("readers", type -> MESSAGE_READERS.contains(type.getSimpleName())))))
                .should()
                .callMethodWhere(JavaCall.Predicates.target(
                                owner(assignableTo(Throwable.class).and(resideOutsideOfPackage(root + ".."))))
                        .and(JavaCall.Predicates.target(name("getMessage"))))
                .as("a message may be null: read it by Thrown.reason, or by FailureText.of in weir-lean");
    }

    /** Covers only methods: ArchUnit does not see synchronized blocks. */
    ArchRule noMethodIsSynchronized() {
        return noMethods()
                .that()
                .areDeclaredInClassesThat(resideInAPackage(root + ".."))
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .as(
                        "no method is synchronized: a lock that is a field can be named, timed and tried, and pins nothing");
    }

    private String packageOf(String module) {
        return root + "." + module + "..";
    }

    static boolean isInternal(JavaClass type) {
        return type.getBaseComponentType().getPackageName().matches(".*\\.internal(\\..*)?")
                && !type.getBaseComponentType().getPackageName().startsWith("java");
    }
}
