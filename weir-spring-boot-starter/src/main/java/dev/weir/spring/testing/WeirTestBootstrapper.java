package dev.weir.spring.testing;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Finds the application's configuration and the properties of the annotation. Confined to Spring's test framework. */
final class WeirTestBootstrapper extends TestSliceTestContextBootstrapper<WeirTest> {}
