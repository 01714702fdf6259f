module jitney/dapr

go 1.24.0

require (
	github.com/dapr/components-contrib v1.16.0
	github.com/dapr/kit v0.16.1
)
