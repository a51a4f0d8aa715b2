package dev.weir.spring.testing;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Finds the application's configuration and applies the properties of the annotation. Used only by Spring's test
 * framework.
 */
final class WeirTestBootstrapper extends TestSliceTestContextBootstrapper<WeirTest> {}
